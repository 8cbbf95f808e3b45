"""Uniform over tasks, with the three ways to choose levels that the environment has.

`Curriculum` is the environment's own (rgenv/dataset/difficulty.py), limited to `HIGHEST`.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.learning.arms.base import Arm, Setting
from benchmarks.learning.grpo import Group
from benchmarks.learning.tasks import HIGHEST
from rgenv.dataset.difficulty import Difficulty
from rgenv.dataset.room import Room

TARGET = 0.5
"""The accuracy of the curriculum, in every arm that has one and does not say otherwise: there, a
group is most often informative."""

DEFAULT_TARGET = 0.7


class CappedRoom(Room):
    """Leaves no room above `HIGHEST`."""

    def ceiling(self, task: str) -> float:
        """Return the highest level."""
        return min(HIGHEST, super().ceiling(task))


class Random(Arm):
    """Uniform over tasks and levels."""

    def level(self, task: str) -> float:
        """Return a random level."""
        return self.random_level()


class Curriculum(Arm):
    """Uniform over tasks; the environment's curriculum steers the level of each."""

    target = TARGET

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.difficulty = Difficulty(
            "curriculum", target_accuracy=self.target, room=CappedRoom(), count_truncated=True
        )

    def level(self, task: str) -> float | None:
        """Return the curriculum's level."""
        return self.difficulty.level_for(task, 0.0)

    def observe(self, groups: Sequence[Group]) -> None:
        """Move the levels."""
        for group in groups:
            problem = group.problem
            self.difficulty.observe(problem.task, problem.level, group.rewards, group.cut)


class DefaultCurriculum(Curriculum):
    """The same with the environment's default target."""

    target = DEFAULT_TARGET
