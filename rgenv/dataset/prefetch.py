"""Items made ahead of demand, handed out in order.

::

    supply = Prefetcher(make, accept, taken, ahead=4)
    item = await supply.next()

`make(n, attempt)` gives item n, or None when it can't be made, which leaves n out. `accept(item)`
judges items in the order of n; where it says anything but "yes", more attempts are made, and the
best of them is taken, or n is left out. `taken(item)` is told of each item that will be handed out.
`next` rarely waits for a slow generator: while items are being answered, the next ones are made.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, Literal, TypeVar

T = TypeVar("T")
Judgement = Literal["yes", "only if nothing better comes", "never"]


PATIENCE = 200
"""So many n left out in a row mean that nothing can come any more."""


HOPELESS = 24
"""After so many unacceptable attempts one n is left out: its task may have no others."""


class NothingLeft(RuntimeError):
    """`PATIENCE` items in a row could not be made or were not accepted."""


class Prefetcher(Generic[T]):
    """Calls `make` for consecutive n, at most `ahead` results waiting; one consumer at a time.

    Args:
        make: gives item n; attempt 0 is made ahead, further ones when they are needed.
        accept: judges an item; called once for each, in the order of n.
        taken: told of every item that will be handed out, before the next n is judged.
        attempts: how many of one n are made before the best is taken, or n left out.
        first: the n to begin with.
    """

    def __init__(
        self,
        make: Callable[[int, int], Awaitable[T | None]],
        accept: Callable[[T], Judgement] = lambda _item: "yes",
        taken: Callable[[T], None] = lambda _item: None,
        *,
        ahead: int,
        attempts: int = 1,
        first: int = 0,
    ) -> None:
        self._make = make
        self._accept = accept
        self._taken = taken
        self._ahead = max(1, ahead)
        self._attempts = attempts
        self._next = first
        self._waiting: deque[tuple[int, asyncio.Task[T | None]]] = deque()

    @property
    def judged(self) -> list[T]:
        """Items that were accepted and wait to be handed out, in order."""
        results = [task.result() for _, task in self._waiting if task.done()]
        return [item for item in results if item is not None]

    @property
    def position(self) -> int:
        """The first n that was not judged yet."""
        return next((n for n, task in self._waiting if not task.done()), self._next)

    async def next(self) -> T:
        """The next item that can be made and is accepted.

        Raises:
            NothingLeft: there is none in sight.
            whatever `make` raised; so does every later call.
        """
        for _ in range(PATIENCE):
            self.fill()
            item = await asyncio.shield(self._waiting[0][1])
            self._waiting.popleft()
            self.fill()
            if item is not None:
                return item
        raise NothingLeft(f"{PATIENCE} items in a row could not be served")

    def fill(self, *, reserved: int = 0) -> None:
        """Begin to make what is missing.

        Args:
            reserved: places that items have which wait elsewhere.
        """
        while len(self._waiting) < self._ahead - reserved:
            before = self._waiting[-1][1] if self._waiting else None
            task = asyncio.ensure_future(self._best(self._next, before))
            self._waiting.append((self._next, task))
            self._next += 1

    async def _best(self, n: int, before: asyncio.Task[T | None] | None) -> T | None:
        """Item n, judged after the one before it, so that the order of judging is that of n."""
        item = await self._make(n, 0)
        if before is not None:
            await asyncio.wait({before})
        chosen = await self._chosen(n, item)
        if chosen is not None:
            self._taken(chosen)
        return chosen

    async def _chosen(self, n: int, item: T | None) -> T | None:
        """The first attempt that is accepted, or the best of those that were not."""
        second_best: T | None = None
        hopeless = 0
        for attempt in range(1, self._attempts + 1):
            if item is None:  # its generator failed: another attempt may take as long to fail
                return second_best
            judgement = self._accept(item)
            hopeless += judgement == "never"
            if judgement == "yes":
                return item
            if hopeless == HOPELESS:
                return second_best
            if judgement == "only if nothing better comes" and second_best is None:
                second_best = item
            if attempt < self._attempts:
                item = await self._make(n, attempt)
        return second_best

    async def close(self) -> None:
        """Drop what was made ahead; idempotent."""
        tasks = [task for _, task in self._waiting]
        self._waiting.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
