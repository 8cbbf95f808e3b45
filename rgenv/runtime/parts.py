"""Some calls at a time, with results in order."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def in_order(calls: Iterable[Coroutine[Any, Any, T]], ahead: int) -> AsyncGenerator[T, None]:
    """Yield the results of calls in their order, while `ahead` of them are under way.

    Use it with contextlib.aclosing, so that what is left ends with the block.
    """
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
