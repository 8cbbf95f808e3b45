"""Turn scores into rewards.

If every completion of a group is correct, the scores cannot rank them, so a length penalty lowers
the rewards of long completions::

    >>> length_penalty([1.0, 1.0], lengths=[100, 900], budget=1000)
    [1.0, 0.4]

Not here: advantages, which the trainer computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

CORRECT = 0.5
"""The least score of a correct completion, for percent_correct and the length penalty."""

SOLVED = 0.99
"""The least score of a solved completion; accuracy is the share of solved completions."""

FREE_SHARE = 0.75
"""The share of the token budget up to which length has no penalty."""

GroupKind = Literal["all correct", "all failed", "all incorrect, some partial credit", "mixed"]


def length_penalty(scores: Sequence[float], *, lengths: Sequence[int], budget: int) -> list[float]:
    """Lower the scores of long completions if all completions of a group are correct.

    Args:
        scores: one score in [0, 1] for each completion of the group.
        lengths: completion lengths in tokens, without the prompt, in the same order.
        budget: the maximum length of a completion in tokens.

    Returns:
        One reward for each score. The scores are unchanged if any is below `CORRECT`. Otherwise a
        score is multiplied by a factor that is 1 up to `FREE_SHARE` of the budget and falls
        linearly to 0 at the budget.

    Raises:
        ValueError: scores and lengths differ in number, or the budget is not positive.
    """
    if budget <= 0:
        raise ValueError(f"budget must be positive, got {budget}")
    pairs = list(zip(scores, lengths, strict=True))
    if any(score < CORRECT for score in scores):
        return list(scores)
    free = FREE_SHARE * budget
    return [
        score * min(1.0, max(0.0, (budget - length) / (budget - free))) for score, length in pairs
    ]


def without_noise(rewards: Sequence[float], *, min_spread: float) -> list[float]:
    """Replace the rewards of a group by their mean if they differ by less than `min_spread`.

    Trainers divide by the spread of a group, which would make 0.01 and 0.0 as different as 1 and 0.
    """
    if max(rewards) - min(rewards) >= min_spread:
        return list(rewards)
    return [sum(rewards) / len(rewards)] * len(rewards)


def group_kind(scores: Sequence[float]) -> GroupKind:
    """Classify the scores of a group, for the log."""
    if all(score >= CORRECT for score in scores):
        return "all correct"
    if all(score == 0.0 for score in scores):
        return "all failed"
    if all(score < CORRECT for score in scores):
        return "all incorrect, some partial credit"
    return "mixed"
