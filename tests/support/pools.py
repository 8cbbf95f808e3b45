"""PoolDouble: the one stand-in for a WorkerPool in tests."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from rgenv.pool.coverage import Coverage
from rgenv.pool.pool import WorkerPool
from rgenv.types import Problem, Verdict

Score = Callable[[Problem, Sequence[str | None]], Awaitable[list[Verdict]]]
"""``await score(problem, answers)`` returns one verdict for each answer, or raises."""

Make = Callable[..., Awaitable[Problem]]
"""``await make(task, seed, level=..., config=...)`` returns a problem, or raises."""


OF_NO_POOL: Mapping[str, Any] = {
    "fixed_tasks": frozenset(),
    "own_tasks": {},
    "live_workers": frozenset(),
    "restarts": 0,
    "malformed": 0,
}
"""Attributes of a double without a pool."""


class PoolDouble:
    """The public methods of WorkerPool, passed on to `pool` where no hook replaces them.

    `close` is not passed on: whoever started `pool` closes it. A test may do without a pool if it
    hooks every method that it reaches.

    Attributes:
        scored: (problem, answers) of every call of `score`, in order, failed ones included.
    """

    def __init__(
        self,
        pool: WorkerPool | PoolDouble | None = None,
        *,
        score: Score | None = None,
        make: Make | None = None,
    ) -> None:
        self._pool = pool
        self._score, self._make = score, make
        self.scored: list[tuple[Problem, list[str | None]]] = []

    @property
    def pool(self) -> WorkerPool | PoolDouble:
        assert self._pool is not None, "this PoolDouble has neither a pool nor a hook for this"
        return self._pool

    async def close(self) -> None:
        """Leave the shared workers as they are."""

    def prepare(self, tasks: Iterable[str]) -> None:
        """Leave the shared workers as they are."""

    @property
    def coverage(self) -> Coverage:
        return self._pool.coverage if self._pool is not None else Coverage()

    def __getattr__(self, name: str) -> Any:
        if self._pool is None and name in OF_NO_POOL:
            return OF_NO_POOL[name]
        return getattr(self.pool, name)

    async def make(
        self,
        task: str,
        seed: int,
        *,
        level: float | None = None,
        config: Mapping[str, Any] | None = None,
        select: bool = False,
        source: str | None = None,
        problems: str | None = None,
    ) -> Problem:
        self.coverage.require(task, source)
        make = self._make or self.pool.make
        return await make(task, seed, level=level, config=config, select=select)

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        self.scored.append((problem, list(answers)))
        return await (self._score or self.pool.score)(problem, answers)


class FromOtherLoops:
    """A started pool whose methods may be awaited in any event loop, while `loop` runs."""

    def __init__(self, pool: WorkerPool, loop: asyncio.AbstractEventLoop) -> None:
        self._pool, self._loop = pool, loop

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._pool, name)
        if not inspect.iscoroutinefunction(value):
            return value

        async def call(*words: Any, **options: Any) -> Any:
            work = asyncio.run_coroutine_threadsafe(value(*words, **options), self._loop)
            return await asyncio.wrap_future(work)

        return call


def fixed_scores(*scores: float) -> Score:
    """A `score` hook: completion i of every group is scored `scores[i]`."""

    async def score(_problem: Problem, _answers: Sequence[str | None]) -> list[Verdict]:
        return [Verdict(score, "scored") for score in scores]

    return score


class HeldScoring:
    """A `score` hook: verdicts of `pool` that wait until the test sets `release`."""

    def __init__(self, pool: WorkerPool | PoolDouble) -> None:
        self._pool = pool
        self.begun = asyncio.Event()
        self.release = asyncio.Event()

    async def __call__(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        self.begun.set()
        await self.release.wait()
        return await self._pool.score(problem, answers)
