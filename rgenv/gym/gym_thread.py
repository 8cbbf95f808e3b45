"""GymThread: runs one gym in a thread of its own, for callers in any thread and any event loop.

The workers start with the first call. A thread that nobody closes is closed when the process ends.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable
from concurrent.futures import Future
from typing import Any, TypeVar

from rgenv.errors import PoolBroken
from rgenv.gym.gym import JOBS_PER_WORKER
from rgenv.gym.settings import Settings
from rgenv.gym.streaming_gym import StreamingGym
from rgenv.runtime.background_loop import BackgroundLoop
from rgenv.runtime.parts import end

T = TypeVar("T")

Work = Callable[[StreamingGym], Coroutine[Any, Any, T]]

CLOSED = "This gym is closed: make another one."


class GymThread:
    """Runs one gym in a background loop; a start that fails is told to each caller."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._loop: BackgroundLoop | None = None
        self._starting: asyncio.Task[StreamingGym] | None = None
        self._gym: StreamingGym | None = None
        self._closing: Future[None] | None = None
        self._ending = False  # in the loop, which may see it before `_closing` is set

    @property
    def gym(self) -> StreamingGym:
        """What was started; raises RuntimeError before the first call."""
        if self._gym is None:
            raise RuntimeError("The gym is not started: write `async with AsyncReasoningGym(...)`.")
        return self._gym

    def submit(self, work: Work[T]) -> Future[T]:
        """Begin `work`; cancelling the future cancels it. PoolBroken: this is closed."""
        if os.getpid() != self._pid:
            raise RuntimeError(
                "This gym belongs to the process that made it, and this one was forked from it: "
                "make a gym here."
            )
        with self._lock:
            if self._closing is not None:
                raise PoolBroken(CLOSED)
            if self._loop is None:
                self._loop = BackgroundLoop()
                atexit.register(self._end_with_process)
            return self._loop.submit(self._in_loop(work))

    async def _in_loop(self, work: Work[T]) -> T:
        if self._starting is None:
            self._starting = asyncio.create_task(StreamingGym.start(self.settings))
        try:
            self._gym = await asyncio.shield(self._starting)
            return await work(self._gym)
        except asyncio.CancelledError:
            if self._ending:
                raise PoolBroken(CLOSED) from None
            raise

    def submit_many(self, works: Iterable[Work[T]]) -> Generator[Future[T]]:
        """Yield what works become, a few for each worker ahead; cancel what nobody takes."""
        under_way: deque[Future[T]] = deque()
        try:
            for work in works:
                under_way.append(self.submit(work))
                if len(under_way) >= JOBS_PER_WORKER * self.settings.scoring_workers:
                    yield under_way.popleft()
            while under_way:
                yield under_way.popleft()
        finally:
            for future in under_way:
                future.cancel()

    def wait(self, future: Future[T]) -> T:
        """Wait for a result, and cancel it if the caller is interrupted."""
        try:
            return future.result()
        finally:
            future.cancel()

    def begin_close(self) -> Future[None]:
        """End the workers in the background; return what `close` waits for."""
        nothing: Future[None] = Future()
        nothing.set_result(None)
        if os.getpid() != self._pid:  # the workers belong to the process that forked this one
            return nothing
        with self._lock:
            if self._closing is None:
                loop = self._loop
                self._closing = nothing if loop is None else loop.submit(self._close(loop))
            return self._closing

    async def _close(self, loop: BackgroundLoop) -> None:
        self._ending = True
        try:
            if self._starting is not None:
                self._starting.cancel()
                with contextlib.suppress(Exception, asyncio.CancelledError):
                    await (await self._starting).close()
            await end(asyncio.all_tasks() - {asyncio.current_task()})
        finally:
            atexit.unregister(self._end_with_process)
            loop.stop()

    def close(self, timeout: float | None = None) -> None:
        """End the workers and wait for it; idempotent. Calls that wait raise PoolBroken."""
        self.begin_close().result(timeout)
        if self._loop is not None and os.getpid() == self._pid:
            self._loop.thread.join(timeout)

    def _end_with_process(self) -> None:
        with contextlib.suppress(Exception):
            self.close(10.0)  # the end of the process waits no longer
