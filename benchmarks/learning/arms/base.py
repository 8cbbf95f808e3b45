"""Arm: a way to choose the next problems.

    arm = ARMS["mopps"](Setting(tasks=["gcd"], seed=1, probe=probe))
    arm.choose(16)              # [("gcd", 0.3), ...]: task and level; None: default parameters
    arm.keep(groups)            # the groups to learn from
    arm.observe(groups)         # all of them, once for each batch

An arm sees only its own groups. All arms draw the k-th problem of a task from the same seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.learning.grpo import Group
from benchmarks.learning.tasks import HIGHEST
from rgenv.dataset.difficulty import BANDS

Plan = tuple[str, float | None]
Arm_ = tuple[str, int]
"""A task and a band of levels: what the bandits choose from."""

TRAINED_BANDS = round(HIGHEST * BANDS)


@dataclass(frozen=True)
class Setting:
    """What an arm is given.

    Attributes:
        seed: of the run.
        probe: returns the share of new problems that the model solves, for each plan; it costs no
            tokens of the budget, and only the oracle calls it.
    """

    tasks: Sequence[str]
    seed: int
    probe: Callable[[Sequence[Plan]], list[float]]


class Arm:
    """Uniform over tasks; the levels are those of `level`."""

    def __init__(self, setting: Setting) -> None:
        self.tasks = list(setting.tasks)
        self.rng = np.random.default_rng([setting.seed, 32])
        self.setting = setting

    def choose(self, count: int) -> list[Plan]:
        """Return task and level of the next problems."""
        picked = [self.tasks[number] for number in self.rng.integers(len(self.tasks), size=count)]
        return [(task, self.level(task)) for task in picked]

    def level(self, task: str) -> float | None:
        """Return the level of the next problem of a task."""
        return None

    def keep(self, groups: Sequence[Group]) -> list[Group]:
        """Return the groups to learn from; as many problems as are missing are drawn again."""
        return list(groups)

    def observe(self, groups: Sequence[Group]) -> None:
        """Take note of all groups of a batch, those that are not kept included."""

    def random_level(self, band: int | None = None) -> float:
        """Return a random level up to `HIGHEST`, or of a band."""
        low, high = (0.0, HIGHEST) if band is None else (band / BANDS, (band + 1) / BANDS)
        return round(float(self.rng.uniform(low, high)), 3)


def band_arms(tasks: Sequence[str]) -> list[Arm_]:
    """Return every task with every band of the levels of training."""
    return [(task, band) for task in tasks for band in range(TRAINED_BANDS)]


def arm_of(group: Group) -> Arm_:
    """Return the task of a group and the band of its level."""
    level = group.problem.level or 0.0
    return group.problem.task, min(TRAINED_BANDS - 1, int(level * BANDS))
