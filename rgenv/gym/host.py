"""Host: runs one gym in a thread of its own, for callers in any thread and any event loop.

::

    host = Host(Settings(["gcd"]))
    host.run(lambda running: running.gym.make("gcd", 7))           # from plain code
    await host.awaited(lambda running: running.gym.make("gcd", 7))  # from any event loop
    host.close()

The workers start with the first call. A host that nobody closes is closed when the process ends.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from rgenv.errors import PoolBroken
from rgenv.gym.gym import JOBS_PER_WORKER, Gym, start_gym
from rgenv.gym.recipes import ProblemOrRecipe
from rgenv.gym.settings import Settings
from rgenv.gym.streams import Streams
from rgenv.runtime.background_loop import BackgroundLoop
from rgenv.task_names import require_task
from rgenv.types import Problem

T = TypeVar("T")

EXIT_SECONDS = 10.0
"""The longest that the end of the process waits for workers to end."""


@dataclass(frozen=True)
class Running:
    """What a host starts. Its coroutines run in the loop of the host."""

    gym: Gym
    streams: Streams

    async def observe(
        self,
        problem: ProblemOrRecipe,
        scores: Iterable[float],
        cut: Iterable[bool] | None,
    ) -> float | None:
        return self.streams.observe(self.gym.known(problem), scores, cut)

    async def held_out(self, task: str, n: int, level: float | None) -> list[Problem]:
        require_task(task, self.gym.categories)
        return await self.gym.evaluation_set(n, [level]).of_task(task) if n else []

    async def state_dict(self) -> dict[str, Any]:
        return self.streams.state_dict()

    async def close(self) -> None:
        await self.streams.close()
        await self.gym.pool.close()


Work = Callable[[Running], Coroutine[Any, Any, T]]


class Host:
    """Runs one gym in a background loop; its workers start with the first call."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._background: BackgroundLoop | None = None
        self._starting: asyncio.Task[Running] | None = None
        self._closing: Future[None] | None = None

    @property
    def closed(self) -> bool:
        return self._closing is not None

    @property
    def running(self) -> Running:
        """What was started; raises RuntimeError before the first call."""
        starting = self._starting
        if starting is None or not starting.done() or starting.cancelled() or starting.exception():
            raise RuntimeError("The gym is not started: write `async with AsyncReasoningGym(...)`.")
        return starting.result()

    def run(self, work: Work[T]) -> T:
        """Run `work` and wait for it.

        Raises:
            PoolBroken: the host is closed, or closes before the work is done.
            RuntimeError: the host was made in another process.
            Exception: whatever the start or the work raises.
        """
        return self._result(self._submit(work))

    def _result(self, future: Future[T]) -> T:
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise _closed() from None
        finally:
            future.cancel()  # a caller that is interrupted waits no longer

    def run_many(self, works: Iterable[Work[T]]) -> Iterator[T]:
        """Run many works, a few for each worker at a time, and yield their results in order."""
        with self._ahead() as under_way:
            for work in works:
                under_way.append(self._submit(work))
                if len(under_way) >= self._most_ahead:
                    yield self._result(under_way.popleft())
            while under_way:
                yield self._result(under_way.popleft())

    async def awaited_many(self, works: Iterable[Work[T]]) -> AsyncIterator[T]:
        """As `run_many`, in the event loop of the caller."""
        with self._ahead() as under_way:
            for work in works:
                under_way.append(self._submit(work))
                if len(under_way) >= self._most_ahead:
                    yield await self._awaited(under_way.popleft())
            while under_way:
                yield await self._awaited(under_way.popleft())

    @property
    def _most_ahead(self) -> int:
        return JOBS_PER_WORKER * self.settings.workers

    @contextlib.contextmanager
    def _ahead(self) -> Iterator[deque[Future[Any]]]:
        """Cancel what is still under way when a caller takes no more results."""
        under_way: deque[Future[Any]] = deque()
        try:
            yield under_way
        finally:
            for future in under_way:
                future.cancel()

    async def awaited(self, work: Work[T]) -> T:
        """Run `work`, and wait for it in the event loop of the caller."""
        return await self._awaited(self._submit(work))

    async def _awaited(self, future: Future[T]) -> T:
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self.closed and not (task and task.cancelling()):
                raise _closed() from None
            raise

    def _submit(self, work: Work[T]) -> Future[T]:
        if os.getpid() != self._pid:
            raise RuntimeError(
                "This gym belongs to the process that made it, and this one was forked from it: "
                "make a gym here."
            )
        with self._lock:
            if self.closed:
                raise _closed()
            if self._background is None:
                self._background = BackgroundLoop()
                _open.add(self)
            return self._background.submit(self._in_loop(work))

    async def _in_loop(self, work: Work[T]) -> T:
        starting = self._starting
        if starting is None or (starting.done() and starting.exception() is not None):
            starting = self._starting = asyncio.create_task(self._start())
        return await work(await asyncio.shield(starting))

    async def _start(self) -> Running:
        gym = await start_gym(self.settings)
        return Running(gym, Streams(gym.new_source))

    def close(self, timeout: float | None = None) -> None:
        """End the workers and wait for it, up to `timeout` seconds; idempotent.

        Calls that wait raise PoolBroken.
        """
        self.begin_close().result(timeout)
        if self._background is not None and os.getpid() == self._pid:
            self._background.thread.join(timeout)

    async def aclose(self) -> None:
        await asyncio.wrap_future(self.begin_close())

    def begin_close(self) -> Future[None]:
        """End the workers in the background; return what `close` waits for."""
        nothing: Future[None] = Future()
        nothing.set_result(None)
        if os.getpid() != self._pid:  # the workers belong to the process that forked this one
            return nothing
        with self._lock:
            if self._closing is None:
                background = self._background
                self._closing = (
                    background.submit(self._close(background)) if background else nothing
                )
            return self._closing

    async def _close(self, background: BackgroundLoop) -> None:
        try:
            if self._starting is not None:
                self._starting.cancel()
                with contextlib.suppress(Exception, asyncio.CancelledError):
                    await (await self._starting).close()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
        finally:
            _open.discard(self)
            background.stop()


_open: set[Host] = set()
"""The hosts that run in this process."""


def _closed() -> PoolBroken:
    return PoolBroken("This gym is closed: make another one.")


@atexit.register
def _close_all() -> None:
    for host in list(_open):
        with contextlib.suppress(Exception):
            host.close(EXIT_SECONDS)


os.register_at_fork(after_in_child=_open.clear)
