"""Work in parts: in this process, or in a cluster (rgenv/adapters/ray.py), with results in order.

::

    place = Here(pool, calls=8)
    calls = (place.run(check, lines) for lines in batches)
    async with contextlib.aclosing(in_order(calls, ahead=2 * place.calls)) as reports:
        async for report in reports:     # of ``await check(pool, lines)``
            ...
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Place(Protocol):
    """Calls functions with the pool or gym that it holds.

    Attributes:
        calls: how many are under way at the same time; others wait.
    """

    calls: int

    async def run(self, function: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Return ``await function(held, *args)``."""


class Here:
    """Calls functions in this process."""

    def __init__(self, held: Any, calls: int) -> None:
        self._held = held
        self._free = asyncio.Semaphore(calls)
        self.calls = calls

    async def run(self, function: Callable[..., Awaitable[T]], *args: Any) -> T:
        async with self._free:
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
        await end(waiting)


async def end(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel tasks, and wait until they have ended."""
    ending = list(tasks)
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)
