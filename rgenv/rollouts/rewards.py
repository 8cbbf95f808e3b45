"""From scores to rewards: pure numbers in, pure numbers out.

A group whose every answer is right says nothing about which one to prefer, so the longer ones
pay for their length::

    >>> length_penalty([1.0, 1.0], lengths=[100, 900], budget=1000)
    [1.0, 0.4]

Advantages are the trainer's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

CORRECT = 0.5
"""A score from here on counts as correct: in percent_correct and for the length penalty."""

SOLVED = 0.99
"""A score from here on counts as solved: what accuracy is the share of."""

FREE_SHARE = 0.75
"""The share of the completion budget that costs nothing."""

GroupKind = Literal["all correct", "all failed", "all incorrect, some partial credit", "mixed"]


def length_penalty(scores: Sequence[float], *, lengths: Sequence[int], budget: int) -> list[float]:
    """Scale the scores of an all-correct group down by completion length.

    Args:
        scores: one score in [0, 1] for each completion of the group.
        lengths: completion lengths in tokens, prompt not counted, same order.
        budget: the most tokens a completion could have had.

    Returns:
        The scores, unchanged when any is below `CORRECT`; else each is kept up to
        `FREE_SHARE` of the budget and falls linearly to 0 at the budget.

    Raises:
        ValueError: lengths and scores differ in number, or the budget is not positive.
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
    """Rewards that lie closer together than `min_spread` are made equal: all become the mean.

    Trainers divide by the spread of a group, so 0.01 against 0.0 would count as 1 against 0.
    """
    if max(rewards) - min(rewards) >= min_spread:
        return list(rewards)
    return [sum(rewards) / len(rewards)] * len(rewards)


def group_kind(scores: Sequence[float]) -> GroupKind:
    """Which of the four stories a group of scores tells; for the log."""
    if all(score >= CORRECT for score in scores):
        return "all correct"
    if all(score == 0.0 for score in scores):
        return "all failed"
    if all(score < CORRECT for score in scores):
        return "all incorrect, some partial credit"
    return "mixed"
