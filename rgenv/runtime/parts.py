"""Work in an event loop, in parts: some calls at a time, or a piece of long work in each round."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

P = ParamSpec("P")
T = TypeVar("T")

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
"""One for each event loop: many tasks with a piece each would hold a round as one with all."""


async def in_turn(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what `work` returns, when it is its turn; the next piece has the next round.

    A thread would not help: a decoder in C holds the interpreter until it is done. What takes more
    than a few milliseconds must come in parts.
    """
    async with _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        done = work(*args, **kwargs)
        await asyncio.sleep(0)
        return done


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
