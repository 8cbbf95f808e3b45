"""The groups of `process`: made several at a time, and written in the stream's order."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from rgenv.types import Problem, ProblemKey

Made = tuple[Problem, Any]
"""A problem, and its group as `collect_trajectories` returns it."""

AHEAD = 4
"""So many times the groups under way are held, for a group before them to be made."""


class OrderedGroups:
    """Makes groups of problems, and writes them in the order of the problems.

    Args:
        workers: where the tasks of the groups under way are kept.
        collect: returns the group of a problem or None, and the problems to ask again.
        write: writes a problem's group.
    """

    def __init__(
        self,
        workers: set[asyncio.Task[Any]],
        collect: Callable[[Problem], Awaitable[tuple[Any, list[Problem]]]],
        write: Callable[[Problem, Any], Awaitable[None]],
    ) -> None:
        self._workers, self._collect, self._write = workers, collect, write
        self._made: dict[ProblemKey, Made | None] = {}

    async def make(
        self,
        wanted: int,
        next_item: Callable[[], Awaitable[Problem | None]],
        most: Callable[[], int],
    ) -> None:
        """Make and write `wanted` groups, `most` at a time.

        A problem that gives none is followed by another one.
        """
        written = 0
        while written < wanted:
            at_once = most()
            has_room = len(self._workers) < at_once
            has_room &= len(self._made) < min(AHEAD * at_once, wanted - written)
            item = await next_item() if has_room else None
            if item is not None:
                self._made[item.key] = None
                self._workers.add(asyncio.create_task(self._make(item)))
            elif not self._workers:
                return
            else:
                await asyncio.wait(self._workers, return_when=asyncio.FIRST_COMPLETED)
            for worker in [worker for worker in self._workers if worker.done()]:
                self._workers.discard(worker)
                worker.result()
            while self._made and (first := next(iter(self._made.values()))) is not None:
                await self._write_one(first)
                written += 1

    async def _make(self, item: Problem) -> None:
        """Ask an item until it gives a group, or is given up."""
        group, again = await self._collect(item)
        while not group and again:
            group, again = await self._collect(item)
        if group:
            self._made[item.key] = item, group
        else:
            del self._made[item.key]

    async def _write_one(self, made: Made) -> None:
        await self._write(*made)
        del self._made[made[0].key]  # only now: what is cancelled before is written by `write_rest`

    async def write_rest(self) -> None:
        """Write what is made when the run ends."""
        for made in [made for made in self._made.values() if made is not None]:
            await self._write_one(made)
