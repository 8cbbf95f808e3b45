"""Prefetcher: problems made ahead of demand and handed out in order.

If an attempt at problem n is not accepted, further ones are made; if none is accepted, the first
"fallback" is taken, and without one n is skipped. Judging follows the order of n. While problems
are in use the next ones are made, so `next` rarely waits for a slow generator.
"""

import asyncio
from collections import deque

from rgenv.dataset.attempts import Attempts
from rgenv.runtime.parts import end
from rgenv.types import Problem

MAX_SKIPPED = 200
"""Give up after this many consecutive skipped n."""

MAX_REJECTED = 24
"""Stop attempts at one n after this many rejected problems; its task may have no others."""


class NothingLeft(RuntimeError):
    """`MAX_SKIPPED` problems in a row could not be made or were not accepted."""


class Prefetcher:
    """Makes the problems of consecutive n and keeps up to `ahead`; for one consumer at a time.

    Args:
        most: attempts at one problem.
    """

    def __init__(self, attempts: Attempts, *, ahead: int, most: int = 1, first: int = 0) -> None:
        self._attempts = attempts
        self._ahead = max(1, ahead)
        self._most = most
        self._next = first
        self._waiting: deque[tuple[int, asyncio.Task[Problem | None]]] = deque()

    @property
    def judged(self) -> list[Problem]:
        results = [task.result() for _, task in self._waiting if task.done()]
        return [problem for problem in results if problem is not None]

    @property
    def position(self) -> int:
        """The first n that is not judged yet."""
        return next((n for n, task in self._waiting if not task.done()), self._next)

    @property
    def first_left(self) -> int:
        """The first n that is neither handed out nor skipped; n - 1 is what `next` returned."""
        return self._waiting[0][0] if self._waiting else self._next

    async def next(self) -> Problem:
        """Return the next one that can be made and is not rejected, or raise NothingLeft."""
        for _ in range(MAX_SKIPPED):
            self.fill()
            problem = await asyncio.shield(self._waiting[0][1])
            self._waiting.popleft()
            self.fill()
            if problem is not None:
                return problem
        raise NothingLeft(f"{MAX_SKIPPED} items in a row could not be served")

    def fill(self, *, reserved: int = 0) -> None:
        """Start making problems until `ahead` are waiting, here or `reserved` elsewhere."""
        while len(self._waiting) < self._ahead - reserved:
            before = self._waiting[-1][1] if self._waiting else None
            task = asyncio.ensure_future(self._problem(self._next, before))
            self._waiting.append((self._next, task))
            self._next += 1

    async def _problem(self, n: int, before: asyncio.Task[Problem | None] | None) -> Problem | None:
        """Return problem n; `before` is the task of problem n - 1, which is judged first."""
        first_attempt = await self._attempts.make(n, 0)
        if before is not None:
            await asyncio.wait({before})
        chosen = await self._choose(n, first_attempt)
        if chosen is None:
            self._attempts.skipped(n)
        else:
            self._attempts.chosen(n, chosen)
        return chosen

    async def _choose(self, n: int, problem: Problem | None) -> Problem | None:
        """Return the first accepted attempt at n, else the first fallback, else None."""
        fallback: Problem | None = None
        rejected = 0
        for attempt in range(1, self._most + 1):
            if problem is None:  # its generator failed: another attempt may take as long to fail
                return fallback
            judgement = self._attempts.judge(problem)
            rejected += judgement == "reject"
            if judgement == "accept":
                return problem
            if rejected == MAX_REJECTED:
                return fallback
            if judgement == "fallback" and fallback is None:
                fallback = problem
            if attempt < self._most:
                problem = await self._attempts.make(n, attempt)
        return fallback

    async def close(self) -> None:
        tasks = [task for _, task in self._waiting]
        self._waiting.clear()
        await end(tasks)
