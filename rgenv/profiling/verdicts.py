"""What the completions of a cell show. A cell is a task at a level.

::

    verdict(Counts(trials=40, right=0), group_size=8, blind=0.0)     # "dead"

p is the chance that a completion of such a problem is right: solved, and not cut at the token
limit. The verdicts follow from what a training with groups of `group_size` completions needs:

- mastered: most groups would be all right.
- learnable: p is above what a blind guess earns, and neither 0 nor 1 to all intents and purposes:
  in a number of groups (one in seven, for groups of 8), rewards differ.
- broken format: most completions end without an answer in the required format.
- too long: most completions are cut at the token limit.
- guessable: p is hardly above what a blind guess earns (rgenv.dataset.blind), and not 0.
- dead: most groups would be all wrong; or p is below what a blind guess earns.

They are tried in this order, by intervals that hold whenever the asking stops (bounds.py): a cell
that is not dead is called dead with a chance of at most 5 %, and so for each verdict. Some
shares deserve either of two verdicts, so that no cell takes completions without end.

- failed: problems can't be made, or requests or verifiers fail.
- undecided: all completions were used up, and none of these was shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Literal, get_args

from rgenv.profiling.bounds import bounds
from rgenv.rollouts.outcomes import format_of
from rgenv.types import SOLVED, Sample

Verdict = Literal[
    "learnable",
    "mastered",
    "dead",
    "guessable",
    "broken format",
    "too long",
    "undecided",
    "failed",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

HOPELESS: tuple[Verdict, ...] = ("dead", "guessable", "broken format", "too long")
"""What hides the reward of a cell, and of all harder ones."""

STAGE = 8
"""Completions between two looks at a cell. They count together, because those that come back first
are the short ones."""

LEAST_DEAD = 0.06
"""The share right below which a cell is dead, for large groups; smaller ones cost too much."""

QUARTER = 0.25
"""A cell is learnable from a quarter of the share below which it is dead."""

FAILURES = 5
"""Requests, verifiers or problems that fail, more than those that work, make a cell failed."""


@dataclass(frozen=True)
class Counts:
    """The completions of a cell.

    Attributes:
        trials: those whose score depends on the model alone.
        right: solved, and not cut at the token limit.
        cut: cut at the token limit.
        broken: ended without an answer in the required format.
        failed: those whose request, verifier or problem failed; they are no trials.
        tokens: of all completions that came back, without their prompts.
    """

    trials: int = 0
    right: int = 0
    cut: int = 0
    broken: int = 0
    failed: int = 0
    tokens: int = 0

    @classmethod
    def of(cls, samples: Iterable[Sample]) -> Counts:
        """Count samples."""
        listed = list(samples)
        scored = [s for s in listed if "score" in s]
        trials = [s for s in scored if s["verdict"] not in ("error", "timeout", "crashed")]
        cuts = [s["finish_reason"] == "length" for s in trials]
        formats = [format_of(s["verdict"], truncated=c) for s, c in zip(trials, cuts, strict=True)]
        solved = [s["score"] >= SOLVED for s in trials]
        return cls(
            trials=len(trials),
            right=sum(s and not c for s, c in zip(solved, cuts, strict=True)),
            cut=sum(cuts),
            broken=formats.count("broken"),
            failed=len(listed) - len(trials),
            tokens=sum(s["completion_tokens"] or 0 for s in scored),
        )

    @property
    def share(self) -> float:
        """The share of trials that are right; 0 without any."""
        return self.right / self.trials if self.trials else 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def dead_below(group_size: int) -> float:
    """Return the share right below which most groups are all wrong; at least `LEAST_DEAD`."""
    return max(LEAST_DEAD, 1 - math.pow(0.5, 1 / max(2, group_size)))


def alive_above(group_size: int) -> float:
    """Return the share right above which groups differ often enough; so does the share wrong."""
    return QUARTER * dead_below(group_size)


def guessed_below(blind: float) -> float:
    """Return the share right below which a cell is guessable.

    It is half a standard deviation of one guess above the blind share, so that it takes about as
    many completions whatever that is.
    """
    return blind + min(0.5 * math.sqrt(blind * (1 - blind)), 0.5 * (1 - blind))


def verdict(counts: Counts, *, group_size: int, blind: float) -> Verdict | None:
    """Return what the completions of a cell show; None: nothing yet.

    Args:
        group_size: completions of a group in training.
        blind: what a blind guess earns at this level.
    """
    if counts.failed >= FAILURES and counts.failed > counts.trials:
        return "failed"
    dead, alive = dead_below(group_size), alive_above(group_size)
    low, high = bounds(counts.right, counts.trials)
    if low > 1 - dead:
        return "mastered"
    if low > max(alive, blind) and high < 1 - alive:
        return "learnable"
    if bounds(counts.broken, counts.trials)[0] > 0.5:
        return "broken format"
    if bounds(counts.cut, counts.trials)[0] > 0.5:
        return "too long"
    if counts.right and blind <= high < guessed_below(blind):
        return "guessable"
    if high < max(dead, blind):
        return "dead"
    return None
