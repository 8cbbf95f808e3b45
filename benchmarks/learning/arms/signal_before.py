"""The environment's rule as it was until November 2026, with its curriculum.

A copy of what it did for one process, whose tasks have one band at a time: it counts groups with a
gradient and without for each task and band, draws one number from each Beta belief, and takes at
random one of the tasks whose number is at least `GOOD` times the highest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchmarks.learning.arms.base import Plan, Setting
from benchmarks.learning.arms.uniform import Curriculum
from benchmarks.learning.grpo import Group
from rgenv.dataset.difficulty import band_of

GOOD, FOLLOWED, KEEP, MIN_SHARE = 0.9, 0.25, 0.95, 0.05


class SignalBefore(Curriculum):
    """Thompson sampling of informative groups, good enough within `GOOD`."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._counts: dict[tuple[str, int | None], np.ndarray] = {}
        self._planned = 0

    def choose(self, count: int) -> list[Plan]:
        """Pick tasks, each at the curriculum's level."""
        return [(task, self.level(task)) for task in (self._pick() for _ in range(count))]

    def _pick(self) -> str:
        self._planned += 1
        is_even = math.floor(self._planned * MIN_SHARE) > math.floor(
            (self._planned - 1) * MIN_SHARE
        )
        if is_even:
            return str(self.rng.choice(self.tasks))
        counts = np.array([self._known(task, self.level(task)) for task in self.tasks])
        drawn = self.rng.beta(1 + counts[:, 0], 1 + counts[:, 1])
        good = np.flatnonzero(drawn >= GOOD * drawn.max())
        return self.tasks[int(self.rng.choice(good))]

    def _known(self, task: str, level: float | None) -> np.ndarray:
        return self._counts.get((task, band_of(level)), np.zeros(2))

    def observe(self, groups: Sequence[Group]) -> None:
        """Count the groups and move the levels."""
        for group in groups:
            task, level = group.problem.task, group.problem.level
            has_gradient = group.informative
            follows = self.difficulty.can_follow(task, group.rewards, group.cut)
            weight = FOLLOWED if follows and not has_gradient else 1.0
            kept = (1 - (1 - KEEP) * weight) * self._known(task, level)
            new = weight * np.array([has_gradient, not has_gradient])
            self._counts[task, band_of(level)] = kept + new
        super().observe(groups)
