"""The problems of a data set: number n depends on the settings and on n alone.

::

    problems = ProblemSet(("gcd", "maze"), levels=(None, 0.5), seed=42, fixed=frozenset())
    await problems.make(gym.draw, 7)

So any part of a data set can be made anywhere, in any order, and again. No problem is held out for
evaluation. Small tasks may ask the same question under two numbers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from rgenv.dataset.source import Make, try_to_make
from rgenv.dataset.stream import MAX_ATTEMPTS, Stream
from rgenv.gym.gym import Gym
from rgenv.types import Problem

Numbered = tuple[int, Problem]

UNDER_WAY = 64
"""Problems that are made at the same time. More would only wait for workers."""


@dataclass(frozen=True)
class ProblemSet:
    """What decides the problems.

    Attributes:
        levels: one of them for each problem; None stands for a task's default parameters, and no
            levels for a random one each.
        fixed: tasks that have no levels.
    """

    tasks: tuple[str, ...]
    levels: tuple[float | None, ...]
    seed: int
    fixed: frozenset[str]

    @classmethod
    def of(cls, gym: Gym, levels: Sequence[float | None], seed: int) -> ProblemSet:
        """Return the problems of the tasks that a gym serves."""
        return cls(tuple(gym.task_names), tuple(levels), seed, gym.pool.fixed_tasks)

    @cached_property
    def _stream(self) -> Stream:
        return Stream(seed=self.seed, tasks=dict.fromkeys(self.tasks, 1.0))

    async def make(self, draw: Make, n: int) -> Problem | None:
        """Make problem `n`, counted from 0; return None if each attempt fails."""
        task, uniform = self._stream.draw(n)
        level = self._level(task, uniform)
        for attempt in range(MAX_ATTEMPTS):
            seed = self._stream.seed(n, attempt, task)
            problem = await try_to_make(draw, task, seed, level, count=_ignore)
            if problem is not None and problem.winnable and not problem.held_out:
                return problem
        return None

    def _level(self, task: str, uniform: float) -> float | None:
        if task in self.fixed:
            return None
        return self.levels[int(uniform * len(self.levels))] if self.levels else uniform

    async def make_numbered(self, draw: Make, numbers: Iterable[int]) -> list[Numbered]:
        """Make several problems; return those that could be made with their numbers, in order."""
        free = asyncio.Semaphore(UNDER_WAY)

        async def made(n: int) -> Problem | None:
            async with free:
                return await self.make(draw, n)

        async with asyncio.TaskGroup() as group:
            tasks = {n: group.create_task(made(n)) for n in numbers}
        found = ((n, task.result()) for n, task in tasks.items())
        return [(n, problem) for n, problem in found if problem is not None]


def _ignore(name: str) -> None:
    """Count nothing: the log says why a problem could not be made."""
