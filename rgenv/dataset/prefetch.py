"""Prefetcher: items made ahead of demand and handed out in order.

If an attempt at item n is not accepted, further ones are made; if none is accepted, the first
"fallback" is taken, and without one n is skipped. Judging follows the order of n. While items are
in use the next ones are made, so `next` rarely waits for a slow generator.
"""

import asyncio
from collections import deque
from typing import Generic, Literal, Protocol, TypeVar

from rgenv.runtime.parts import end

T = TypeVar("T")
Judgement = Literal["accept", "fallback", "reject"]

MAX_SKIPPED = 200
"""Give up after this many consecutive skipped n."""

MAX_REJECTED = 24
"""Stop attempts at one n after this many rejected items; its task may have no others."""


class NothingLeft(RuntimeError):
    """`MAX_SKIPPED` items in a row could not be made or were not accepted."""


class Attempts(Protocol[T]):
    """Makes and judges items; all but `make` are called in the order of n."""

    async def make(self, n: int, attempt: int) -> T | None:
        """Return an attempt at item n, or None if it can't be made."""

    def judge(self, item: T) -> Judgement:
        """Judge an attempt."""
        ...

    def chosen(self, n: int, item: T) -> None:
        """Receive item n, which will be handed out, before the next n is judged."""

    def skipped(self, n: int) -> None:
        """Receive an n that is skipped, likewise."""


class Prefetcher(Generic[T]):
    """Makes items for consecutive n and keeps up to `ahead` of them; for one consumer at a time.

    Args:
        most: attempts at one item.
    """

    def __init__(self, attempts: Attempts[T], *, ahead: int, most: int = 1, first: int = 0) -> None:
        self._attempts = attempts
        self._ahead = max(1, ahead)
        self._most = most
        self._next = first
        self._waiting: deque[tuple[int, asyncio.Task[T | None]]] = deque()

    @property
    def judged(self) -> list[T]:
        results = [task.result() for _, task in self._waiting if task.done()]
        return [item for item in results if item is not None]

    @property
    def position(self) -> int:
        """The first n that is not judged yet."""
        return next((n for n, task in self._waiting if not task.done()), self._next)

    @property
    def first_left(self) -> int:
        """The first n that is neither handed out nor skipped; n - 1 is what `next` returned."""
        return self._waiting[0][0] if self._waiting else self._next

    async def next(self) -> T:
        """Return the next item that can be made and is not rejected, or raise NothingLeft."""
        for _ in range(MAX_SKIPPED):
            self.fill()
            item = await asyncio.shield(self._waiting[0][1])
            self._waiting.popleft()
            self.fill()
            if item is not None:
                return item
        raise NothingLeft(f"{MAX_SKIPPED} items in a row could not be served")

    def fill(self, *, reserved: int = 0) -> None:
        """Start making items until `ahead` are waiting, here or `reserved` elsewhere."""
        while len(self._waiting) < self._ahead - reserved:
            before = self._waiting[-1][1] if self._waiting else None
            task = asyncio.ensure_future(self._item(self._next, before))
            self._waiting.append((self._next, task))
            self._next += 1

    async def _item(self, n: int, before: asyncio.Task[T | None] | None) -> T | None:
        """Return item n; `before` is the task of item n - 1, which is judged first."""
        first_attempt = await self._attempts.make(n, 0)
        if before is not None:
            await asyncio.wait({before})
        chosen = await self._choose(n, first_attempt)
        if chosen is None:
            self._attempts.skipped(n)
        else:
            self._attempts.chosen(n, chosen)
        return chosen

    async def _choose(self, n: int, item: T | None) -> T | None:
        """Return the first accepted attempt at n, else the first fallback, else None."""
        fallback: T | None = None
        rejected = 0
        for attempt in range(1, self._most + 1):
            if item is None:  # its generator failed: another attempt may take as long to fail
                return fallback
            judgement = self._attempts.judge(item)
            rejected += judgement == "reject"
            if judgement == "accept":
                return item
            if rejected == MAX_REJECTED:
                return fallback
            if judgement == "fallback" and fallback is None:
                fallback = item
            if attempt < self._most:
                item = await self._attempts.make(n, attempt)
        return fallback

    async def close(self) -> None:
        tasks = [task for _, task in self._waiting]
        self._waiting.clear()
        await end(tasks)
