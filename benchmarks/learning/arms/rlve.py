"""RLVE's window of levels (arXiv 2511.07317), uniform over tasks.

Each task has a window of up to four neighbouring levels, and the level of a problem is drawn from
it. When at least `ENOUGH` groups were seen at the highest level of the window and the accuracy
there is at least 0.9, a level is added above, and the lowest leaves if there are more than four.

Simplified: the paper's environments have whole-numbered difficulties without an end; here a step is
0.1, chosen here, and the last level is that of all arms. The paper counts completions, eight times
the size of a group; here that is `ENOUGH` groups.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.learning.arms.base import Arm, Setting
from benchmarks.learning.grpo import Group
from benchmarks.learning.tasks import HIGHEST

STEP, WINDOW, RISES_AT, ENOUGH = 0.1, 4, 0.9, 8
TOP = round(HIGHEST / STEP)


class Rlve(Arm):
    """Uniform over tasks, with a window of levels that rises."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._highest = dict.fromkeys(self.tasks, 0)
        self._seen: dict[str, list[float]] = {task: [] for task in self.tasks}

    def level(self, task: str) -> float:
        """Return a level of the window."""
        highest = self._highest[task]
        lowest = max(0, highest - WINDOW + 1)
        return round(STEP * int(self.rng.integers(lowest, highest + 1)), 3)

    def observe(self, groups: Sequence[Group]) -> None:
        """Raise the window of tasks that are solved at its end."""
        for group in groups:
            task, seen = group.problem.task, self._seen[group.problem.task]
            if round((group.problem.level or 0.0) / STEP) == self._highest[task]:
                seen.append(group.accuracy)
            if len(seen) >= ENOUGH:
                if sum(seen) / len(seen) >= RISES_AT:
                    self._highest[task] = min(TOP, self._highest[task] + 1)
                seen.clear()
