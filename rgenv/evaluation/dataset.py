"""EvaluationSet: the held-out problems of each task, made once.

::

    held_out = EvaluationSet(make, per_task=5, seed=123, levels=[None, 1.0])
    problems = await held_out.of_task("gcd")
    problems = await held_out.of_tasks(["gcd", "lcm"])

Which problems belong to the set is a function of the evaluation seed and the task alone. Their
seeds lie in a range that training never uses.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence

from rgenv.dataset.stream import evaluation_seeds, random_for
from rgenv.errors import MakeFailed
from rgenv.evaluation.item_cache import ItemCache
from rgenv.types import Problem

log = logging.getLogger(__name__)

SEEDS_TO_TRY = 40
"""Seeds for each wanted problem: tasks with few different problems need many attempts."""

KeyOf = Callable[[str], str]


def choose_eval_tasks(names: Sequence[str], count: int, *, eval_seed: int) -> list[str]:
    """`count` of the tasks, chosen by `eval_seed` alone; all of them where count is 0."""
    if not 0 < count < len(names):
        return list(names)
    return sorted(random_for(eval_seed, "evaluation tasks").sample(names, count))


class EvaluationSet:
    """Makes the evaluation problems of each task once, and keeps them on disk.

    Args:
        make: makes the problem of a task, seed and level, or raises MakeFailed.
        per_task: how many problems a task has at each level.
        eval_seed: fixes the set.
        levels: difficulties in [0, 1]; None for a task's defaults.
        cache: where problems are kept on disk; None: nowhere.
        cache_key: the key of a task's problems in `cache`.
        count: counts a problem that could not be made, by the name of its metric.
    """

    def __init__(
        self,
        make: Callable[[str, int, float | None], Awaitable[Problem]],
        *,
        per_task: int,
        eval_seed: int,
        levels: Sequence[float | None],
        cache: ItemCache | None = None,
        cache_key: KeyOf = lambda task: task,
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
        """The problems of several tasks, in the order of `names`."""
        batches = await asyncio.gather(*map(self.of_task, names))
        return [problem for batch in batches for problem in batch]

    def of_task(self, task: str) -> asyncio.Future[list[Problem]]:
        """The problems of one task, all different, by level; made when they are first asked for."""
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
        """Up to `per_task` winnable problems whose questions differ from each other and `known`."""
        wanted = self._per_task
        seeds = evaluation_seeds(task, SEEDS_TO_TRY * wanted, eval_seed=self._eval_seed)
        found: dict[int, Problem] = {}
        while len(found) < wanted and seeds:
            missing = wanted - len(found)
            batch, seeds = seeds[:missing], seeds[missing:]
            made = await asyncio.gather(*(self._try_to_make(task, s, level) for s in batch))
            found |= {
                problem.prompt_hash: problem
                for problem in made
                if problem and problem.winnable and problem.prompt_hash not in known
            }
        return list(found.values())

    async def _try_to_make(self, task: str, seed: int, level: float | None) -> Problem | None:
        try:
            return await self._make(task, seed, level)
        except MakeFailed as failure:
            self._count(f"not_made/{failure.kind}")
            log.warning("No problem of %s, seed %d, level %s: %s.", task, seed, level, failure)
            return None
