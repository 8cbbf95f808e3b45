"""PAC (arXiv 2608.30528): Thompson sampling of tasks by advantage times progress.

The gain of a task is the mean absolute advantage of a group times one plus the slope of its reward,
where the slope is the difference of a fast and a slow average, divided by the largest of any task
and at least 0. The belief about a gain is normal; the variance of tasks that were not drawn grows.
Levels are random.

Simplified from the published description: averages in place of a fitted slope, one fixed noise. The
constants were chosen here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

import numpy as np

from benchmarks.learning.arms.base import Arm, Plan, Setting
from benchmarks.learning.grpo import Group, advantages

FAST, SLOW = 0.3, 0.05
NOISE, INFLATION, WIDEST = 0.25, 0.01, 1.0
"""The variance of one group's gain; what a batch adds to the variance of a task, and its limit."""


class Pac(Arm):
    """Tasks with large advantages and rising rewards."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._mean = dict.fromkeys(self.tasks, 1.0)
        self._variance = dict.fromkeys(self.tasks, WIDEST)
        self._averages: dict[str, tuple[float, float]] = {}

    def choose(self, count: int) -> list[Plan]:
        """Draw one gain from each belief for each problem, and take the task of the largest."""
        means = np.array([self._mean[task] for task in self.tasks])
        deviations = np.sqrt([self._variance[task] for task in self.tasks])
        drawn = self.rng.normal(means, deviations, size=(count, len(self.tasks))).argmax(axis=1)
        return [(self.tasks[number], self.random_level()) for number in drawn]

    def observe(self, groups: Sequence[Group]) -> None:
        """Update beliefs and averages."""
        by_task = defaultdict(list)
        for group in groups:
            by_task[group.problem.task].append(group)
        for task, own in by_task.items():
            reward = fmean(fmean(group.rewards) for group in own)
            fast, slow = self._averages.get(task, (reward, reward))
            self._averages[task] = fast + FAST * (reward - fast), slow + SLOW * (reward - slow)
        for task in self.tasks:
            self._variance[task] = min(WIDEST, self._variance[task] + INFLATION)
        for task, own in by_task.items():
            factor = 1 + self._progress(task)
            for group in own:
                gain = factor * fmean(map(abs, advantages(group.rewards)))
                share = self._variance[task] / (self._variance[task] + NOISE)
                self._mean[task] += share * (gain - self._mean[task])
                self._variance[task] *= 1 - share

    def _progress(self, task: str) -> float:
        """Return the slope of a task's reward in [0, 1], relative to the steepest."""
        slopes = {name: max(0.0, fast - slow) for name, (fast, slow) in self._averages.items()}
        return slopes[task] / max(max(slopes.values()), 1e-9)
