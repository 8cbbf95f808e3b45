"""The evaluation set: held-out problems of each task.

::

    held_out = EvaluationSet(make, per_task=5, eval_seed=123, levels=[None, 1.0])
    problems = await held_out.of_task("gcd")
    problems = await held_out.of_tasks(["gcd", "lcm"])

The problems of a task depend only on the evaluation seed, the levels and the number of problems.
Their seeds lie in a range that training never uses.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence

from rgenv.dataset.source import Make, try_to_make
from rgenv.dataset.stream import evaluation_seeds, random_for
from rgenv.evaluation.item_cache import ItemCache
from rgenv.types import Problem

log = logging.getLogger(__name__)

SEEDS_TO_TRY = 40
"""Seeds for each wanted problem. Tasks with few different questions need many."""


def choose_eval_tasks(names: Sequence[str], count: int, *, eval_seed: int) -> list[str]:
    """Choose `count` of the tasks by `eval_seed`; 0: all of them."""
    if not 0 < count < len(names):
        return list(names)
    return sorted(random_for(eval_seed, "evaluation tasks").sample(names, count))


class EvaluationSet:
    """Makes the evaluation problems of each task once and saves them on disk.

    Args:
        make: returns the problem of a task, seed and level, or raises MakeFailed.
        per_task: problems of each task at each level.
        eval_seed: determines the set.
        levels: difficulties in [0, 1]; None for a task's defaults.
        cache: where problems are saved; None: nowhere.
        cache_key: returns the key of a task's problems in `cache`.
        count: called with the name of a metric for each problem that could not be made.
    """

    def __init__(
        self,
        make: Make,
        *,
        per_task: int,
        eval_seed: int,
        levels: Sequence[float | None],
        cache: ItemCache | None = None,
        cache_key: Callable[[str], str] = lambda task: task,
        count: Callable[[str], None] = lambda name: None,
    ) -> None:
        self._make = make
        self._per_task = per_task
        self._eval_seed = eval_seed
        self._levels = list(levels)
        self._cache = cache
        self._cache_key = cache_key
        self._count = count
        self._made: dict[str, asyncio.Future[list[Problem]]] = {}

    async def of_tasks(self, names: Iterable[str]) -> list[Problem]:
        """Return the problems of several tasks, in the order of `names`."""
        batches = await asyncio.gather(*map(self.of_task, names))
        return [problem for batch in batches for problem in batch]

    def of_task(self, task: str) -> asyncio.Future[list[Problem]]:
        """Return the problems of one task: level by level, with different questions.

        They are made or loaded at the first call; later calls share the result.
        """
        if task not in self._made:
            self._made[task] = asyncio.ensure_future(self._load_or_make(task))
        return asyncio.shield(self._made[task])

    async def _load_or_make(self, task: str) -> list[Problem]:
        key = self._cache_key(task)
        problems = self._cache.load(key) if self._cache is not None else None
        if problems is None:
            problems = []
            for level in self._levels:
                known = {problem.prompt_hash for problem in problems}
                problems += await self._new_problems(task, level, known)
            if self._cache is not None:
                self._cache.store(key, problems)
        return problems

    async def _new_problems(self, task: str, level: float | None, known: set[int]) -> list[Problem]:
        """Make up to `per_task` winnable problems with questions that are not in `known`."""
        wanted = self._per_task
        seeds = evaluation_seeds(task, SEEDS_TO_TRY * wanted, eval_seed=self._eval_seed)
        found: dict[int, Problem] = {}
        while len(found) < wanted and seeds:
            missing = wanted - len(found)
            batch, seeds = seeds[:missing], seeds[missing:]
            made = await asyncio.gather(
                *(try_to_make(self._make, task, s, level, count=self._count) for s in batch)
            )
            found |= {
                problem.prompt_hash: problem
                for problem in made
                if problem and problem.winnable and problem.prompt_hash not in known
            }
        return list(found.values())
