"""What the completions of a cell show. A cell is a task at a level.

docs/profile.md says what each verdict means. They are tried in the order of `verdict`, by intervals
that hold whenever the asking stops: a cell that is not dead is called dead with a chance of at most
5 %, and so for each verdict but one: whether a cell that teaches no more than guesses do is named
dead or guessable follows from the observed share, as it is left out by either name. Some shares
deserve either of two verdicts, so that no cell takes completions without end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import Literal, get_args

from rgenv.rollouts.metrics import format_of
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

ERROR = 0.05
"""The chance that an end of an interval is wrong at any time, each."""

FACTORS = {0.0: 0.7, 0.125: 0.05, 0.25: 0.05, 0.5: 0.05, 0.75: 0.05, 0.9: 0.05, 0.97: 0.05}
"""Shares that are bet on, as parts of the share that is tested -> part of the stake."""

STEPS = 30
"""Bisections for an end."""


@dataclass(frozen=True)
class Counts:
    """The completions of a cell.

    Attributes:
        trials: those whose score depends on the model alone.
        right: solved, and not cut at the token limit.
        cut: cut at the token limit.
        broken: ended without an answer in the required format.
        failed: those whose request, verifier or problem failed; they are no trials.
    """

    trials: int = 0
    right: int = 0
    cut: int = 0
    broken: int = 0
    failed: int = 0
    tokens: int = 0

    @classmethod
    def of(cls, samples: Iterable[Sample]) -> Counts:
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
    """Return the share right below which a cell teaches no more than guesses do.

    It is half a standard deviation of one guess above the blind share, so that it takes about as
    many completions whatever that is.
    """
    return blind + min(0.5 * math.sqrt(blind * (1 - blind)), 0.5 * (1 - blind))


def verdict(
    counts: Counts, *, group_size: int, blind: float, is_over: bool = False
) -> Verdict | None:
    """Return what the completions of a cell show; None: nothing yet, and more come."""
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
    guessed = guessed_below(blind)
    if blind and counts.right and high < guessed and counts.share >= blind - (guessed - blind) / 3:
        return "guessable"
    if high < max(dead, guessed if counts.right else blind):
        return "dead"
    if is_over:
        return "undecided" if counts.trials else "failed"
    return None


# Intervals that hold whenever the asking stops


def bounds(hits: int, total: int) -> tuple[float, float]:
    """Return the ends of the interval of a share, of which `hits` of `total` were observed.

    Completions are asked until they decide something, so the usual intervals would be too narrow.
    These are a confidence sequence: the chance that the upper end is *ever* below the true share is
    at most `ERROR`, and so is that of the lower end, however the moment to stop is chosen.

    The upper end is the smallest share that a bet refutes. Against a share p, it is bet in parts
    that the true share is x p, for each x in `FACTORS`; the odds of what was observed, mixed over
    the parts, are a martingale if the share is p, and at most that if it is greater. So they reach
    1 / ERROR with a probability of at most ERROR (Ville 1939; Robbins 1970). Most is bet on x = 0,
    since the clear cases are those without a single success. Lower ends are the same for failures.
    """
    return 1.0 - _upper(total - hits, hits), _upper(hits, total - hits)


@lru_cache(maxsize=1 << 16)
def _upper(hits: int, misses: int) -> float:
    """Return the smallest share that the observed counts refute, with all above it; or 1."""
    if not misses:
        return 1.0
    low, high = hits / (hits + misses), 1.0
    for _ in range(STEPS):
        share = (low + high) / 2
        if _log_odds(hits, misses, share) < -math.log(ERROR):
            low = share
        else:
            high = share
    return high


def _log_odds(hits: int, misses: int, share: float) -> float:
    """Return the logarithm of the mixed odds against a share, which rise with it."""
    terms = [
        math.log(stake)
        + (hits * math.log(factor) if hits else 0.0)
        + misses * (math.log1p(-factor * share) - math.log1p(-share))
        for factor, stake in FACTORS.items()
        if factor or not hits
    ]
    largest = max(terms)
    return largest + math.log(math.fsum(math.exp(term - largest) for term in terms))
