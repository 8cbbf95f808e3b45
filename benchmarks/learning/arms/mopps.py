"""MoPPS (arXiv 2507.04632): Thompson draws of the success rate, nearest to one half.

Each belief is Beta; before a batch is counted, it returns half of the way to the prior. A batch is
the problems, of four times as many random candidates, whose drawn rates are nearest to 0.5.

Simplified: the paper has a belief for each prompt of a fixed set. Procedural problems never come
twice, so here a task and a band of levels share one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.learning.arms.base import Arm, Plan, Setting, arm_of, band_arms
from benchmarks.learning.grpo import Group
from rgenv.types import SOLVED

TARGET, DECAY, CANDIDATES = 0.5, 0.5, 4


class Mopps(Arm):
    """Problems whose drawn success rate is nearest to one half."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._arms = band_arms(self.tasks)
        self._belief = {arm: np.ones(2) for arm in self._arms}

    def choose(self, count: int) -> list[Plan]:
        """Return the candidates nearest to the target."""
        picked = self.rng.integers(len(self._arms), size=CANDIDATES * count)
        candidates = [self._arms[number] for number in picked]
        beliefs = np.array([self._belief[arm] for arm in candidates])
        distance = np.abs(self.rng.beta(beliefs[:, 0], beliefs[:, 1]) - TARGET)
        nearest = [candidates[number] for number in np.argsort(distance)[:count]]
        return [(task, self.random_level(band)) for task, band in nearest]

    def observe(self, groups: Sequence[Group]) -> None:
        """Count right and wrong completions."""
        counts = {arm_of(group): np.zeros(2) for group in groups}
        for group in groups:
            right = sum(reward >= SOLVED for reward in group.rewards)
            counts[arm_of(group)] += right, len(group.rewards) - right
        for arm, count in counts.items():
            self._belief[arm] = DECAY * self._belief[arm] + (1 - DECAY) + count
