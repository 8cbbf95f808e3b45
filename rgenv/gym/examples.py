"""Examples: questions with their answers that come before a question in its prompt.

They are problems of the same task with its default parameters, which are not held out. Training
leaves them out, so they are neither trained on nor evaluated.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from rgenv.dialogue.prompts import Dialogue
from rgenv.errors import MakeFailed
from rgenv.stream.stream import random_for
from rgenv.types import Problem

log = logging.getLogger(__name__)


@dataclass
class Examples:
    """Draws the examples of each task, once; tasks with few different problems have fewer."""

    make: Callable[[str, int, None], Awaitable[Problem]]
    dialogue: Dialogue
    count: int
    seed: int
    _drawn: dict[str, asyncio.Future[list[Problem]]] = field(default_factory=dict)

    async def before(self, problem: Problem) -> tuple[tuple[str, str], ...]:
        return tuple(
            (one.question, one.answer or "")
            for one in await self._of(problem.task)
            if one.family != problem.family
        )

    async def has(self, problem: Problem) -> bool:
        """Return whether a problem is an example, or one that only a symmetry tells apart."""
        return problem.family in {one.family for one in await self._of(problem.task)}

    async def _of(self, task: str) -> list[Problem]:
        if not self.count:
            return []
        if task not in self._drawn:
            self._drawn[task] = asyncio.ensure_future(self._draw(task))
        return await asyncio.shield(self._drawn[task])

    async def _draw(self, task: str) -> list[Problem]:
        found: dict[int, Problem] = {}
        draw = random_for(self.seed, "examples", task)
        for _ in range(20 * self.count):
            try:
                problem = await self.make(task, draw.randrange(2**32), None)
            except MakeFailed:
                continue
            if self._is_fit(problem):
                found.setdefault(problem.family, problem)
            if len(found) == self.count:
                break
        else:
            log.warning("%s has %d of %d examples.", task, len(found), self.count)
        return list(found.values())

    def _is_fit(self, problem: Problem) -> bool:
        if problem.held_out or not problem.winnable or not problem.answer:
            return False
        reading = self.dialogue.reading
        return reading.answer(reading.write(problem.answer)) == problem.answer.strip()
