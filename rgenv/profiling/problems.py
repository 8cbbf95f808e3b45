"""Training problems of a cell, in an order that depends on the seed alone.

::

    problems = CellProblems(gym.draw, "gcd", 0.5, seed=7)
    await problems.get(3)      # the fourth one, today and after a restart

They are chosen as in training: none is held out for evaluation, each has a provable answer, and no
question or reference answer comes often, as far as the task has others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rgenv.dataset.filters import AnswerBalance, PromptFilter
from rgenv.dataset.source import Make, try_to_make
from rgenv.dataset.stream import random_for
from rgenv.errors import MakeFailed
from rgenv.types import Problem
from rgenv.worker.protocol import first_evaluation_seed

TRIES = 16
"""Problems that are made for one that is wanted; then one is taken whose prompt or answer is
frequent."""


class CellProblems:
    """Makes the problems of a task at a level, one after the other.

    Args:
        make: returns the problem of a task, seed and level, or raises MakeFailed.
        seed: of the order.
        balance_labels: limit the frequency of each reference answer.
        count: called with the name of a metric for each problem that could not be made.
    """

    def __init__(
        self,
        make: Make,
        task: str,
        level: float | None,
        *,
        seed: int,
        balance_labels: bool = True,
        count: Callable[[str], None] = lambda name: None,
    ) -> None:
        self._make = make
        self._task, self._level = task, level
        self._key = (seed, "profile", task, level)
        self._seeds = first_evaluation_seed(task)
        self._balance_labels = balance_labels
        self._count = count
        self._prompts, self._answers = PromptFilter(), AnswerBalance()
        self._made: list[Problem | None] = []
        self._lock = asyncio.Lock()

    async def get(self, index: int) -> Problem:
        """Return problem `index`, counted from 0.

        Raises:
            MakeFailed: it can't be made.
        """
        async with self._lock:
            while len(self._made) <= index:
                self._made.append(await self._new(len(self._made)))
        if (problem := self._made[index]) is None:
            raise MakeFailed("error", f"no training problem of {self._task} in {TRIES} attempts")
        return problem

    async def _new(self, index: int) -> Problem | None:
        fallback = None
        rng = random_for(*self._key, index)
        for _ in range(TRIES):
            seed = rng.randrange(self._seeds)
            problem = await try_to_make(
                self._make, self._task, seed, self._level, count=self._count
            )
            if problem is None:  # its generator failed: another attempt may take as long to fail
                break
            if problem.held_out or not problem.winnable:
                continue
            is_new = self._prompts.judge(self._task, problem.prompt_hash) == "new"
            frequent = self._balance_labels and self._answers.is_frequent(
                self._task, problem.answer
            )
            if is_new and not frequent:
                return self._served(problem)
            fallback = fallback or problem
        return self._served(fallback) if fallback is not None else None

    def _served(self, problem: Problem) -> Problem:
        self._prompts.add(self._task, problem.prompt_hash)
        self._answers.add(self._task, problem.answer)
        return problem
