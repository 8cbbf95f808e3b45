"""An oracle: it knows how often the learner solves each task at each level.

Every `EVERY` batches it measures the success rate of each task at `GRID` with completions that the
budget does not count, and smooths it over time. It gives each task the level where the chance of an
informative group, less that of a blind guess, is highest, and draws tasks in proportion to that
chance. So it bounds what better knowledge of success rates could give to such a rule. It does not
know what is worth learning: it is no bound for rules of another kind.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.learning.arms.base import Arm, Plan, Setting
from benchmarks.learning.grpo import Group
from rgenv.dataset.blind import blind_share

EVERY, GRID, NEW = 10, (0.0, 0.2, 0.4, 0.6), 0.4
GROUP = 8
LEAST = 0.02
"""Added to each task's chance, so that each is asked now and then."""


class Oracle(Arm):
    """Tasks and levels by their true chance of an informative group."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._batches = 0
        self._rates = np.full((len(self.tasks), len(GRID)), np.nan)
        self._blind = np.array([[blind_share(t, level) for level in GRID] for t in self.tasks])

    def choose(self, count: int) -> list[Plan]:
        """Draw tasks by their chance, each at its best level."""
        if self._batches % EVERY == 0:
            self._measure()
        chance = np.maximum(0.0, _differ(self._rates) - _differ(self._blind))
        shares = chance.max(axis=1) + LEAST
        picked = self.rng.choice(len(self.tasks), size=count, p=shares / shares.sum())
        best = chance.argmax(axis=1)
        return [(self.tasks[n], GRID[best[n]]) for n in picked]

    def observe(self, groups: Sequence[Group]) -> None:
        """Count the batch."""
        self._batches += 1

    def _measure(self) -> None:
        plans: list[Plan] = [(task, level) for task in self.tasks for level in GRID]
        new = np.array(self.setting.probe(plans)).reshape(self._rates.shape)
        old = np.where(np.isnan(self._rates), new, self._rates)
        self._rates = old + NEW * (new - old)


def _differ(rate: np.ndarray) -> np.ndarray:
    chance: np.ndarray = 1 - rate**GROUP - (1 - rate) ** GROUP
    return chance
