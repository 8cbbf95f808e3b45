"""Items made ahead of demand, handed out in order.

::

    supply = ItemSupply(make, ahead=4)    # make(n) gives item n, or None when it can't be made
    item = await supply.next()

`next` rarely waits for a slow generator: while items are being answered, the next ones are made.
An n that gives None is left out; the order of the others stays.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class ItemSupply(Generic[T]):
    """Calls `make` for consecutive n, at most `ahead` results waiting; one consumer at a time."""

    def __init__(
        self, make: Callable[[int], Awaitable[T | None]], *, ahead: int, first: int = 0
    ) -> None:
        self._make = make
        self._ahead = max(1, ahead)
        self._next = first
        self._waiting: deque[tuple[int, asyncio.Task[T | None]]] = deque()

    @property
    def position(self) -> int:
        """The n of the next item that was not handed out yet."""
        return self._waiting[0][0] if self._waiting else self._next

    async def next(self) -> T:
        """The next item that can be made.

        Raises:
            whatever `make` raised; so does every later call.
        """
        while True:
            self._fill()
            item = await asyncio.shield(self._waiting[0][1])
            self._waiting.popleft()
            self._fill()
            if item is not None:
                return item

    def _fill(self) -> None:
        while len(self._waiting) < self._ahead:
            self._waiting.append((self._next, self._start(self._next)))
            self._next += 1

    def _start(self, n: int) -> asyncio.Task[T | None]:
        return asyncio.ensure_future(self._make(n))

    async def close(self) -> None:
        """Drop what was made ahead; idempotent."""
        tasks = [task for _, task in self._waiting]
        self._waiting.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
