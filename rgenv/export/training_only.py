"""Tell training problems from the ones that are held out for evaluation.

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
from rgenv.gym.clients import GymThread
from rgenv.gym.gym import Gym
from rgenv.gym.settings import Settings
from rgenv.types import Problem

Side = Literal["training", "held out", "unknown"]
"""Unknown: the recipe is missing, can't be made, or makes another question."""


class Sides:
    """Makes problems again, in gyms that start when they are needed."""

    def __init__(self, settings: Settings) -> None:
        self._threads = [
            GymThread(settings.model_copy(update={"strict_verifiers": strict}))
            for strict in (True, False)
        ]

    async def of(self, recipe: Mapping[str, Any], question: str) -> Side:
        """Return the side of the problem of a recipe.

        Args:
            question: the message that asked it; the question is a part of it.
        """

        async def remade(gym: Gym) -> Problem | None:
            with contextlib.suppress(BadUsage, MakeFailed):
                return await gym.remake(recipe)
            return None

        for thread in self._threads:
            problem = await asyncio.wrap_future(thread.submit(remade))
            if problem is not None and problem.question and problem.question in question:
                return "held out" if problem.held_out else "training"
        return "unknown"

    async def close(self) -> None:
        """End the workers."""
        for thread in self._threads:
            await asyncio.wrap_future(thread.begin_close())
