"""SEC (arXiv 2505.14970): a bandit over categories that is paid the mean absolute advantage.

The value of a category moves by `PACE` towards the mean absolute advantage of its completions in a
batch; categories are drawn with probability proportional to exp(value / `TEMPERATURE`). A category
is a task and a band of levels.

Simplified: one pace and one temperature for all tasks, both chosen here; the paper tunes them for
each domain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

import numpy as np

from benchmarks.learning.arms.base import Arm, Arm_, Plan, Setting, arm_of, band_arms
from benchmarks.learning.grpo import Group, advantages

PACE, TEMPERATURE = 0.5, 0.5


class Sec(Arm):
    """Categories with large advantages."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._arms = band_arms(self.tasks)
        self._value = dict.fromkeys(self._arms, 0.0)

    def choose(self, count: int) -> list[Plan]:
        """Draw categories."""
        shares = np.exp(np.array([self._value[arm] for arm in self._arms]) / TEMPERATURE)
        picked = self.rng.choice(len(self._arms), size=count, p=shares / shares.sum())
        plans = [self._arms[number] for number in picked]
        return [(task, self.random_level(band)) for task, band in plans]

    def observe(self, groups: Sequence[Group]) -> None:
        """Move the values."""
        for arm, gains in gains_of(groups).items():
            self._value[arm] += PACE * (fmean(gains) - self._value[arm])


def gains_of(groups: Sequence[Group]) -> dict[Arm_, list[float]]:
    """Return the mean absolute advantage of each group, by task and band."""
    gains = defaultdict(list)
    for group in groups:
        gains[arm_of(group)].append(fmean(map(abs, advantages(group.rewards))))
    return dict(gains)
