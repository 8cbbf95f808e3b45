"""What a policy earns that does not solve the problem: the blind share.

The blind share of a task is the share of its problems that the best blind policy solves: one
constant answer, or a rule that picks one of a few possible answers. Half of the answers of a yes/no
task are right without any knowledge, so an accuracy of 0.5 shows nothing there.

The shares were measured (rgenv/measured.py) on problems that are served by default: with corrected
answers and balanced labels.
"""

from __future__ import annotations

from bisect import bisect

from rgenv.measured import TASKS


def blind_share(task: str, level: float | None) -> float:
    """Return the share of the problems of a task that the best blind policy solves.

    Between measured levels the share is interpolated. It is 0.0 for composite, and for a task whose
    blind policies solve less than 0.05.
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

    This is the correction for guessing of test theory, (accuracy - blind) / (1 - blind): the share
    of problems that are solved if all others are guessed. It is negative below the blind share.
    """
    return (accuracy - blind) / (1 - blind)
