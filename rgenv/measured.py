"""What the parent side knows of each task: measured.json, which `python -m tools.measure` writes.

::

    TASKS["gcd"].asks                  # "Find the greatest common divisor of numbers."
    TASKS["gcd"].source                # "c95d73f0bc2cead4": a hash, see tasks/coverage.py
    TASKS["gcd"].blind[0.5]            # 0.15: what a constant or a guess solves at level 0.5
    TASKS["gcd"].health.levels[0.5]    # PromptTokens(typical=158, longest=162)

The measures hold for one release of reasoning-gym and for problems as they are served by default.
What a task asks, the kind of its answers and the length of its seeds are copies from its file in
rgenv/tasks, which only workers import. Nothing else that was decided about a task is here.
"""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("measured.json")

Level = float | None
"""A difficulty in [0, 1]; None: the task's default parameters."""


@dataclass(frozen=True)
class PromptTokens:
    """About how many tokens prompts have, system prompt included: the median and the maximum."""

    typical: int
    longest: int

    def __str__(self) -> str:
        return f"{self.typical}-{self.longest}"


@dataclass(frozen=True)
class Health:
    """What `validate` found.

    Attributes:
        reward: ``binary`` (0 or 1), ``floor`` (a little for any attempt) or ``partial``.
        prompt_tokens: over all levels.
        levels: the levels at which the task makes problems that can be won, and their prompts; only
            None for a task without levels.
        faults: the rules that the task breaks, and why that is accepted; None: it is not.
    """

    reward: str
    prompt_tokens: PromptTokens
    levels: Mapping[Level, PromptTokens]
    faults: Mapping[str, str | None]

    def __str__(self) -> str:
        return health_in_words(self.faults)


def health_in_words(faults: Mapping[str, str | None]) -> str:
    """Return ``healthy``, ``known: RULES`` or ``UNHEALTHY: RULES``."""
    if not faults:
        return "healthy"
    word = "UNHEALTHY" if None in faults.values() else "known"
    return f"{word}: {', '.join(faults)}"


@dataclass(frozen=True)
class Measured:
    """What was measured of one task; of composite, which mixes others, no more than `answer`.

    Attributes:
        category: in the library.
        source: a hash of its modules in the library.
        blind: level -> the share of problems that the best blind policy solves; empty if it is
            below 0.05 at each level.
        asks: one sentence.
        answer: the name of the kind of its answers, see `rgenv.cli.tasks.KINDS`.
        seed_bits: of the largest seed that it accepts; None: it accepts any.
    """

    category: str
    source: str
    blind: Mapping[Level, float] | None = None
    health: Health | None = None
    asks: str = ""
    answer: str = ""
    seed_bits: int | None = None


def _measured(blind: Any = None, health: Any = None, **others: Any) -> Measured:
    if health is not None:
        health["prompt_tokens"] = PromptTokens(*health["prompt_tokens"])
        levels = health["levels"].items()
        health["levels"] = {json.loads(level): PromptTokens(*tokens) for level, tokens in levels}
    return Measured(
        **others,
        blind=blind and {json.loads(level): share for level, share in blind.items()},
        health=health and Health(**health),
    )


_content = json.loads(PATH.read_text(encoding="utf-8"))

RELEASE: str = _content["release"]

TASKS = {task: _measured(**values) for task, values in _content["tasks"].items()}


def blind_share(task: str, level: float | None) -> float:
    """Return the share of the problems of a task that the best blind policy solves.

    That is one constant answer, or a rule that picks one of a few. Between measured levels the
    share is interpolated. It is 0.0 for composite, and where it is less than 0.05.
    """
    known = TASKS.get(task)
    shares = (known and known.blind) or {}
    points = sorted((at, share) for at, share in shares.items() if at is not None)
    if level is None or not points:
        return shares.get(None, 0.0)
    above = bisect(points, (level, 1.0))
    (low, before), (high, after) = points[max(0, above - 1)], points[min(above, len(points) - 1)]
    return before if high <= low else before + (after - before) * (level - low) / (high - low)


def beyond_blind(accuracy: float, *, blind: float) -> float:
    """Return the accuracy less luck: 0 for a blind policy, 1 for one that solves all problems.

    This is the correction for guessing of test theory; it is negative below the blind share.
    """
    return (accuracy - blind) / (1 - blind)
