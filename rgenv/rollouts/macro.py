"""MacroMean: a mean over tasks that does not depend on how often each task is served.

A sampler that prefers some tasks changes the mean over all groups while the model stays the same.
This mean gives each task the same weight, however many groups it had, and keeps what is known about
a task until the task is served again::

    macro = MacroMean()
    macro.add("gcd", 0.5)
    macro.add("gcd", 1.0)
    macro.add("lcm", 0.0)
    macro.value, macro.tasks    # (0.375, 2)

A sampler that also chooses among levels would still move it. So a task may be divided into parts,
such as bands of levels, and each part has the same weight within its task.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from statistics import fmean

GROUPS = 8
"""The mean covers this many of the last groups of each part of a task."""


class MacroMean:
    """Averages values of groups: over each part of a task, then its parts, then the tasks."""

    def __init__(self) -> None:
        self._tasks: dict[str, dict[Hashable, deque[float]]] = {}

    def add(self, task: str, value: float, part: Hashable = None) -> None:
        """Add the value of one group."""
        parts = self._tasks.setdefault(task, {})
        parts.setdefault(part, deque(maxlen=GROUPS)).append(value)

    @property
    def tasks(self) -> int:
        """The number of tasks that had a group."""
        return len(self._tasks)

    @property
    def value(self) -> float:
        """The mean; there must have been a group."""
        return fmean(fmean(map(fmean, parts.values())) for parts in self._tasks.values())
