"""Some calls at a time, with results in order.

::

    calls = (check(line) for line in lines)
    async with contextlib.aclosing(in_order(calls, ahead=16)) as reports:
        async for report in reports:
            ...
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


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
