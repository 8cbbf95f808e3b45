"""The environment's rule (rgenv/dataset/task_sampler.py), and the same without each of its parts.

Problems are planned and groups are counted as the environment's stream does (`ItemSource`), but for
two things: nothing is planned ahead of a batch, and the curriculum ends at `HIGHEST`.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.learning.arms.base import Plan, Setting
from benchmarks.learning.arms.uniform import Curriculum, DefaultCurriculum
from benchmarks.learning.grpo import Group
from rgenv.dataset.difficulty import right_answers
from rgenv.dataset.task_sampler import Parts, SignalSampler


class Ours(Curriculum):
    """The whole rule; curriculum to `TARGET`."""

    parts = Parts()

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        weights = dict.fromkeys(self.tasks, 1.0)
        self._sampler = SignalSampler(weights, seed=setting.seed, parts=self.parts)
        self._planned = 0

    def choose(self, count: int) -> list[Plan]:
        """Pick tasks, each at the curriculum's level."""
        plans = []
        for _ in range(count):
            task, band = self._sampler.pick(self._planned, self.difficulty.bands)
            plans.append((task, self.difficulty.level_for(task, 0.0, band)))
            self._planned += 1
        return plans

    def observe(self, groups: Sequence[Group]) -> None:
        """Tell sampler and curriculum."""
        for group in groups:
            problem = group.problem
            right = right_answers(group.rewards, group.cut)
            kept = {r for r, cut in zip(group.rewards, group.cut, strict=True) if not cut}
            self._sampler.observe(
                problem.task,
                problem.level,
                has_gradient=len(kept) > 1,
                accuracy=sum(right) / len(right),
                tokens=group.tokens,
                followed=self.difficulty.can_follow(problem.task, group.rewards, group.cut),
            )
            self.difficulty.observe(problem.task, problem.level, group.rewards, group.cut)


class WithoutLuck(Ours):
    """Right answers by luck count as others do."""

    parts = Parts(luck=False)


class WithoutCost(Ours):
    """Tokens do not count."""

    parts = Parts(cost=False)


class ChanceAlone(Ours):
    """None of the parts: the chance of an informative group alone."""

    parts = Parts(luck=False, cost=False)


class DefaultTarget(Ours, DefaultCurriculum):
    """The whole rule; curriculum to the environment's default target."""
