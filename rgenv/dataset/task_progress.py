"""How fast the skill of each task rises.

::

    progress = TaskProgress(["gcd", "lcm"])
    progress.observe("gcd", skill=0.35)
    progress.normalized()               # array([0., 0.])

The skill that a group shows is the level of its problem plus the accuracy beyond luck at that
level. Neither is enough alone: the curriculum keeps the accuracy near its target while the level
moves, and at the ends of the scale, or without levels, only the accuracy moves.

The slope of a task is the mean skill of about its last `RECENT` groups less that of its last
`LONGER` groups, or 0 if that is negative: a task that gets worse gains by the chance of a gradient.
It fades while no group of the task is observed, by a factor of e in `FADES` groups of any task. It
is divided by the greatest slope of all tasks, or by `NOTICEABLE` if all are smaller, so that noise
alone does not single out a task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

RECENT, LONGER = 20, 80
"""Groups of a task. The two means of a task that rises by x a group differ by 60 x in the end."""

NOTICEABLE = 0.1
"""A group shows the skill with a standard deviation of about 0.3, so the slope of a task that stays
as it is has one of about 0.04."""

FADES = 10_000

Floats = NDArray[np.float64]


class TaskProgress:
    """The slopes of tasks.

    Args:
        tasks: their names.
    """

    def __init__(self, tasks: Iterable[str]) -> None:
        self._rows = {task: row for row, task in enumerate(tasks)}
        self._observed = 0
        self._recent: Floats = np.zeros(len(self._rows))
        self._longer: Floats = np.zeros(len(self._rows))
        self._groups: Floats = np.zeros(len(self._rows))
        self._last: Floats = np.zeros(len(self._rows))

    def observe(self, task: str, skill: float) -> None:
        """Add the skill that one group shows."""
        row = self._rows[task]
        self._observed += 1
        self._last[row] = self._observed
        self._groups[row] = groups = min(self._groups[row] + 1, LONGER)
        self._recent[row] += (skill - self._recent[row]) / min(groups, RECENT)
        self._longer[row] += (skill - self._longer[row]) / groups

    def normalized(self) -> Floats:
        """Return the slope of each task, from 0 to 1."""
        faded = np.exp((self._last - self._observed) / FADES)
        slopes: Floats = np.maximum(0.0, self._recent - self._longer) * faded
        normalized: Floats = slopes / max(NOTICEABLE, slopes.max(initial=0.0))
        return normalized

    def state_dict(self) -> dict[str, Any]:
        """Return a JSON-able state from which `load_state_dict` continues exactly."""
        columns = self._recent, self._longer, self._groups, self._last
        rows = [[task, *(float(c[row]) for c in columns)] for task, row in self._rows.items()]
        return {"observed": self._observed, "tasks": [row for row in rows if row[3]]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace the state; tasks that are not among the names are left out."""
        self._observed = int(state["observed"])
        for column in (self._recent, self._longer, self._groups, self._last):
            column[:] = 0.0
        for task, recent, longer, groups, last in state["tasks"]:
            if task in self._rows:
                row = self._rows[task]
                self._recent[row], self._longer[row] = float(recent), float(longer)
                self._groups[row], self._last[row] = float(groups), float(last)
