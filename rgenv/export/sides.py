"""Tell problems of training from those that are held out for evaluation.

A family is held out by a hash of what its question asks (docs/tasks.md), so the problem is made
again from its recipe, by the rules of today: a file of an older version may hold problems that are
for evaluation now. A problem of `strict_verifiers: false` may have another question; it is made by
those rules if the first ones do not make the question that was asked.
"""

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rgenv.errors import BadUsage, MakeFailed
from rgenv.gym import recipes
from rgenv.pool.library import checkout_path
from rgenv.pool.pool import WorkerPool
from rgenv.worker.protocol import TaskModule, WorkerSettings

Side = Literal["training", "held out", "unknown"]
"""Unknown: the recipe is missing, can't be made, or makes another question."""


MAX_SIZE = 100_000
"""Characters of the JSON of a recipe's parameters. A worker that is asked for more counts as
broken, because its reply has them, too."""


async def side_of(pool: WorkerPool, recipe: Mapping[str, Any], question: str) -> Side:
    """Return the side of a problem as the workers of one pool make it."""
    with contextlib.suppress(BadUsage, MakeFailed):
        read = recipes.read(recipe)
        is_ordinary = len(json.dumps(read.config)) <= MAX_SIZE
        if read.config is not None and is_ordinary:
            problem = await pool.make(
                read.task,
                read.seed,
                level=read.level,
                config=read.config,
                source=read.source,
                problems=read.problems,
            )
            if problem.question and problem.question in question:
                return "held out" if problem.held_out else "training"
    return "unknown"


class Sides:
    """Makes problems again, with workers that end with `stack`."""

    def __init__(
        self,
        stack: contextlib.AsyncExitStack,
        *,
        workers: int,
        task_modules: Sequence[TaskModule] = (),
    ) -> None:
        self._stack = stack
        self._workers, self._task_modules = workers, tuple(task_modules)
        self._pools: dict[bool, WorkerPool] = {}
        self._one_starts = asyncio.Lock()

    async def of(self, recipe: Mapping[str, Any], question: str) -> Side:
        """Return the side of the problem of a recipe.

        Args:
            question: the message that asked it; the question is a part of it.

        Raises:
            PoolBroken: the workers die faster than they can be replaced.
            BadUsage: a user's own tasks can't be loaded.
        """
        side: Side = "unknown"
        for strict in (True, False):
            if side == "unknown":
                side = await side_of(await self._pool(strict=strict), recipe, question)
        return side

    async def _pool(self, *, strict: bool) -> WorkerPool:
        async with self._one_starts:
            if strict not in self._pools:
                settings = WorkerSettings(
                    strict=strict, import_path=checkout_path(), task_modules=self._task_modules
                )
                pool = WorkerPool(workers=self._workers, settings=settings)
                self._stack.push_async_callback(pool.close)  # also if a signal interrupts its start
                await pool.start()
                self._pools[strict] = pool
            return self._pools[strict]
