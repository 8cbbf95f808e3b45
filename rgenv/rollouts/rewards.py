"""Turn scores into rewards.

If every completion of a group is right, the scores cannot rank them, so a length penalty lowers the
rewards of long completions::

    >>> length_penalty([1.0, 1.0], lengths=[100, 900], budget=1000, draw=0.5)
    [1.0, 0.5]

Trainers divide the rewards of a group by their standard deviation, after which a difference of 0.01
is as large as one of 1. So a small penalty has to be rare instead: each problem draws a limit,
uniformly between `FREE_SHARE` of the budget and the budget, and only completions beyond the limit
lose reward. On average over problems, rewards and advantages fall linearly with length (stochastic
rounding: Croci et al., R. Soc. Open Sci. 2022).
"""

import hashlib
from collections.abc import Sequence
from statistics import fmean, pstdev

from rgenv.types import SOLVED, ProblemKey

ROUNDING = 1e-9
"""Rewards that differ by less are equal; a sum in another order may differ by some 1e-16."""

CORRECT = 0.5
"""The least score of a correct completion, for percent_correct."""

FREE_SHARE = 0.75
"""The share of the token budget up to which length has no penalty; docs/metrics.md has a table."""

LONGEST_COST = 0.5
"""The share of its reward that a completion loses if it is longer than the limit."""


def length_penalty(
    scores: Sequence[float],
    *,
    lengths: Sequence[int],
    budget: int,
    draw: float,
    unknown: Sequence[bool] = (),
) -> list[float]:
    """Lower the scores of completions beyond the limit if all of a group are solved.

    Args:
        lengths: in tokens, without the prompt, in the order of the scores.
        budget: the maximum length of a completion in tokens.
        draw: a number in [0, 1) that places the limit.
        unknown: for each score, whether a verifier that failed gave it.
    """
    failed = unknown or [False] * len(scores)
    if any(score < SOLVED and not fails for score, fails in zip(scores, failed, strict=True)):
        return list(scores)
    excess = (1 - FREE_SHARE) * draw
    return [
        score * (1 - LONGEST_COST) if length / budget - FREE_SHARE > excess else score
        for score, length in zip(scores, lengths, strict=True)
    ]


def length_draw(key: ProblemKey) -> float:
    """Return the number in [0, 1) that places the limit of a problem's length penalty."""
    digest = hashlib.blake2b(repr(("length", *key)).encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53


def trainer_rewards(
    rewards: Sequence[float], masked: Sequence[bool], *, min_spread: float
) -> list[float]:
    """Return the rewards of a group as the trainer gets them.

    The reward of a masked completion is the mean of the others, so even a trainer that ignores the
    mask gives it no advantage. All rewards are equal if the others differ by noise alone, which the
    trainer would divide by its spread, or if all are masked.

    Args:
        masked: for each completion, whether the trainer gives it no advantage.
        min_spread: rewards that differ by less than this are noise.
    """
    counted = [reward for reward, mask in zip(rewards, masked, strict=True) if not mask] or rewards
    mean, spread = fmean(counted), max(counted) - min(counted)
    if all(masked) or spread < max(min_spread, ROUNDING):
        return [mean] * len(rewards)
    return [mean if mask else reward for reward, mask in zip(rewards, masked, strict=True)]


def advantages(rewards: Sequence[float]) -> list[float]:
    """Return the advantages that Atropos' trainer computes from the rewards of a group.

    They are centred and divided by the deviation (GRPO: Shao et al., arXiv 2402.03300).
    """
    if len(set(rewards)) == 1:
        return [0.0] * len(rewards)
    mean, deviation = fmean(rewards), pstdev(rewards)
    return [(reward - mean) / deviation for reward in rewards]
