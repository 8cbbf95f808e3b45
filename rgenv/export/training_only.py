"""Tell problems of training from those that are held out for evaluation.

A family is held out by a hash of what its question asks (docs/tasks.md), so the problem is made
again from its recipe, by the rules of today: a file of an older version may hold problems that are
for evaluation now. A problem of `strict_verifiers: false` may have another question; it is made by
those rules if the first ones do not make the question that was asked.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any, Literal

from rgenv.errors import BadUsage, MakeFailed
from rgenv.gym import recipes
from rgenv.gym.settings import Settings, start_pool
from rgenv.pool.pool import WorkerPool

Side = Literal["training", "held out", "unknown"]
"""Unknown: the recipe is missing, can't be made, or makes another question."""


async def side_of(pool: WorkerPool, recipe: Mapping[str, Any], question: str) -> Side:
    """Return the side of a problem as the workers of one pool make it."""
    with contextlib.suppress(BadUsage, MakeFailed):
        read = recipes.read(recipe)
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

    def __init__(self, stack: contextlib.AsyncExitStack, settings: Settings) -> None:
        self._stack, self._settings = stack, settings
        self._pools: dict[bool, WorkerPool] = {}
        self._one_starts = asyncio.Lock()

    async def of(self, recipe: Mapping[str, Any], question: str) -> Side:
        """Return the side of the problem of a recipe.

        Args:
            question: the message that asked it; the question is a part of it.
        """
        side: Side = "unknown"
        for strict in (True, False):
            if side == "unknown":
                side = await side_of(await self._pool(strict=strict), recipe, question)
        return side

    async def _pool(self, *, strict: bool) -> WorkerPool:
        async with self._one_starts:
            if strict not in self._pools:
                pool = await start_pool(
                    self._settings.model_copy(update={"strict_verifiers": strict})
                )
                self._stack.push_async_callback(pool.close)
                self._pools[strict] = pool
            return self._pools[strict]
