"""Work in parts: in this process, or in a cluster (rgenv/adapters/ray.py), with results in order.

::

    place = Here(pool, calls=8)
    calls = (place.run(check, lines) for lines in batches)
    async with contextlib.aclosing(in_order(calls, ahead=place.calls)) as reports:
        async for report in reports:     # of ``await check(pool, lines)``
            ...
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Place(Protocol):
    """Calls functions with the pool or gym that it has.

    Attributes:
        calls: how many at the same time keep it busy.
    """

    calls: int

    async def run(self, function: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Return ``await function(held, *args)``."""


class Here:
    """Calls functions in this process."""

    def __init__(self, held: Any, calls: int) -> None:
        self._held = held
        self.calls = calls

    async def run(self, function: Callable[..., Awaitable[T]], *args: Any) -> T:
        return await function(self._held, *args)


async def in_order(calls: Iterable[Coroutine[Any, Any, T]], ahead: int) -> AsyncGenerator[T, None]:
    """Yield the results of calls in their order, while `ahead` of them are under way."""
    waiting: deque[asyncio.Task[T]] = deque()
    try:
        for call in calls:
            waiting.append(asyncio.create_task(call))
            if len(waiting) == ahead:
                yield await waiting.popleft()
        while waiting:
            yield await waiting.popleft()
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
