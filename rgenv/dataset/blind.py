"""What a policy earns that does not solve the problem: the blind share.

The blind share of a task is the share of its problems that the best blind policy solves: one
constant answer, or a rule that picks one of a few possible answers. Half of the answers of a yes/no
task are right without any knowledge, so an accuracy of 0.5 shows nothing there::

    blind_share("syllogism", 0.5)              # 0.5
    beyond_blind(0.75, blind=0.5)              # 0.5

blind.json has the measured shares of each task, by level; benchmarks/blind.py writes it. They hold
for the problems that are served by default: with corrected answers and balanced labels.
"""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Mapping
from pathlib import Path

TABLE: Mapping[str, Mapping[str, float]] = json.loads(
    Path(__file__).with_name("blind.json").read_text(encoding="utf-8")
)
"""Task -> level as JSON, "null" for the default parameters -> measured share."""


def blind_share(task: str, level: float | None) -> float:
    """Return the share of the problems of a task that the best blind policy solves.

    Between measured levels the share is interpolated. It is 0.0 for a task without an entry, such
    as composite or a task whose blind policies solve less than 0.05.

    Args:
        level: difficulty in [0, 1]; None for the task's default parameters.
    """
    shares = TABLE.get(task, {})
    default = shares.get("null", 0.0)
    measured = sorted((float(at), share) for at, share in shares.items() if at != "null")
    if level is None or not measured:
        return default
    above = bisect(measured, (level, 1.0))
    (low, before), (high, after) = (
        measured[max(0, above - 1)],
        measured[min(above, len(measured) - 1)],
    )
    return before if high <= low else before + (after - before) * (level - low) / (high - low)


def beyond_blind(accuracy: float, *, blind: float) -> float:
    """Return the accuracy less luck: 0 for a blind policy, 1 for one that solves all problems.

    This is the correction for guessing of test theory, (accuracy - blind) / (1 - blind): the share
    of problems that are solved if all others are guessed. It is negative below the blind share.

    Args:
        blind: the blind share, below 1.
    """
    return (accuracy - blind) / (1 - blind)
