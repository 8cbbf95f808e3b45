"""Shares with intervals, what constants earn, and work."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, pstdev

from rgenv.validation.answers import same_answer

Z = 1.96
"""Standard deviations in half of a 95 % interval."""


@dataclass(frozen=True)
class Share:
    """A number of cases out of a total, such as solved problems."""

    count: int
    total: int

    @property
    def value(self) -> float:
        """The share; 0.0 without cases."""
        return self.count / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval: where the true share lies, with 95 % confidence."""
        if not self.total:
            return 0.0, 1.0
        n, share = self.total, self.value
        centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
        half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
        return max(0.0, centre - half), min(1.0, centre + half)


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


def constants_by_excess(
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
        constants.append(Constant(answer, fmean(scores), share))
    return sorted(constants, key=lambda one: (-round(one.excess, 9), -one.mean, len(one.answer)))


@dataclass(frozen=True)
class Work:
    mean: float
    error: float

    @classmethod
    def of(cls, amounts: Sequence[float]) -> Work | None:
        """Return the mean of some amounts; None of fewer than two."""
        if len(amounts) < 2:
            return None
        return cls(fmean(amounts), pstdev(amounts) / math.sqrt(len(amounts) - 1))


def first_fall(works: Mapping[float, Work]) -> tuple[float, float] | None:
    """Return the first two levels between which the work does not rise; None if it always rises.

    A step must not fall by more than its error, and the last level takes more than the first.
    """
    steps = sorted(works.items())
    for (low, before), (high, after) in pairwise(steps):
        if before.mean - after.mean > Z * math.hypot(before.error, after.error):
            return low, high
    if len(steps) > 1 and steps[-1][1].mean <= steps[0][1].mean:
        return steps[0][0], steps[-1][0]
    return None
