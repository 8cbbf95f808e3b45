"""Constants: one answer that is given to every problem, and what it earns.

Example::

    rank_constants(["7"], [[1.0], [0.5]], ["7", "8"])    # [Constant("7", mean=0.75, share=0.5)]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rgenv.validation.same_answers import same_answer


@dataclass(frozen=True)
class Constant:
    """One answer that was given to every problem of a level, regardless of the question.

    Attributes:
        mean: its mean score.
        share: the share of problems for which it is right, or for which the most frequent reference
            answer is right if that is more.
    """

    answer: str
    mean: float
    share: float

    @property
    def excess(self) -> float:
        """The difference between the mean score and the share."""
        return self.mean - self.share


def rank_constants(
    answers: Sequence[str], table: Sequence[Sequence[float]], references: Sequence[str | None]
) -> list[Constant]:
    """Return a Constant for each of `answers`, the one with the greatest excess first.

    Args:
        table: for each problem, the score of each answer.
        references: for each problem, its reference answer.
    """
    if not table:
        return []
    known = [reference for reference in references if reference is not None]
    most_frequent = max(map(known.count, known), default=0)
    constants = []
    for answer, scores in zip(answers, zip(*table, strict=True), strict=True):
        right = sum(same_answer(answer, reference) for reference in known)
        share = max(right, most_frequent) / len(references)
        constants.append(Constant(answer, sum(scores) / len(scores), share))
    return sorted(constants, key=lambda one: (-round(one.excess, 9), -one.mean, len(one.answer)))
