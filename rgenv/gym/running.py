"""Host: runs one gym in a thread of its own, for callers in any thread and any event loop.

The workers start with the first call. A host that nobody closes is closed when the process ends.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import logging
import os
import threading
from collections import deque
from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Mapping,
)
from concurrent.futures import Future
from typing import Any, TypeVar

from rgenv.errors import BadUsage, PoolBroken
from rgenv.gym.gym import JOBS_PER_WORKER, Gym, start_gym
from rgenv.gym.recipes import Level, ProblemOrRecipe, read_scores, read_stream_level
from rgenv.gym.settings import Settings
from rgenv.runtime.background_loop import BackgroundLoop
from rgenv.runtime.parts import end
from rgenv.stream.source import ItemSource
from rgenv.task_names import require_task
from rgenv.text import one_line
from rgenv.types import Problem

log = logging.getLogger(__name__)

T = TypeVar("T")

EXIT_SECONDS = 10.0
"""The longest that the end of the process waits for workers to end."""


SCHEMA = 1


class Running:
    """A gym with its streams of problems. Its coroutines run in the loop of the host."""

    def __init__(self, gym: Gym) -> None:
        self.gym = gym
        # The curriculum learns from the first group on, even if its stream begins later.
        self._sources: dict[Level, ItemSource] = {"curriculum": gym.new_source("curriculum")}
        self._tried: set[Level] = set()
        self._trying = asyncio.Lock()

    async def next(self, level: Level) -> Problem:
        async with self._trying:
            if level not in self._tried:
                await self.gym.try_parameters(level)
                self._tried.add(level)
        if level not in self._sources:
            self._sources[level] = self.gym.new_source(level)
        return await self._sources[level].next()

    async def held_out(self, task: str, n: int, level: float | None) -> list[Problem]:
        require_task(task, self.gym.categories)
        return await self.gym.evaluation_set(n, [level]).of_task(task) if n else []

    async def observe(
        self, problem: ProblemOrRecipe, scores: Iterable[float], cut: Iterable[bool] | None = None
    ) -> float | None:
        """Pass the scores of one group to the curriculum of each stream."""
        known, listed = self.gym.known(problem), read_scores(scores)
        cuts = [False] * len(listed) if cut is None else [bool(end) for end in cut]
        if len(cuts) != len(listed):
            raise BadUsage(f"There are {len(listed)} scores and {len(cuts)} values of cut.")
        moved = [source.observe(known, listed, cuts) for source in self._sources.values()]
        return next((level for level in moved if level is not None), None)

    async def state_dict(self) -> dict[str, Any]:
        streams = [
            {"level": level, "state": source.state_dict()}
            for level, source in self._sources.items()
        ]
        return {"schema": SCHEMA, "tasks": sorted(self.gym.task_names), "streams": streams}

    async def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace all streams; raise BadUsage, and change nothing, if the state is damaged.

        A state of other tasks is logged.
        """
        sources: dict[Level, ItemSource] = {}
        try:
            if state["schema"] != SCHEMA:
                raise ValueError(f"schema {state['schema']}, expected {SCHEMA}")
            for stream in state["streams"]:
                level = read_stream_level(stream["level"])
                source = sources[level] = self.gym.new_source(level)
                source.load_state_dict(stream["state"])
            if "curriculum" not in sources:
                raise ValueError("it has no curriculum")
            if others := set(state["tasks"]) ^ set(self.gym.task_names):
                log.warning(
                    "The state is of a gym with other tasks (one of the two lacks %s): this gym "
                    "goes on at the same place with its own.",
                    one_line(", ".join(sorted(others))),
                )
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise BadUsage(
                f"This is no state of a gym ({type(error).__name__}: {error}): pass what "
                "state_dict() returned, or what json.loads made of it."
            ) from None
        before, self._sources = self._sources, sources
        for source in before.values():
            await source.close()

    async def close(self) -> None:
        for source in self._sources.values():
            await source.close()
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
        with contextlib.closing(self._submitted(works)) as futures:
            for future in futures:
                yield self._result(future)

    async def awaited_many(self, works: Iterable[Work[T]]) -> AsyncIterator[T]:
        with contextlib.closing(self._submitted(works)) as futures:
            for future in futures:
                yield await self._awaited(future)

    def _submitted(self, works: Iterable[Work[T]]) -> Generator[Future[T], None, None]:
        """Yield what works become; cancel what is under way when no more is taken."""
        under_way: deque[Future[T]] = deque()
        try:
            for work in works:
                under_way.append(self._submit(work))
                if len(under_way) >= JOBS_PER_WORKER * self.settings.scoring_workers:
                    yield under_way.popleft()
            while under_way:
                yield under_way.popleft()
        finally:
            for future in under_way:
                future.cancel()

    async def awaited(self, work: Work[T]) -> T:
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
        return Running(await start_gym(self.settings))

    def close(self, timeout: float | None = None) -> None:
        """End the workers and wait for it; idempotent. Calls that wait raise PoolBroken."""
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
                loop = self._background
                self._closing = nothing if loop is None else loop.submit(self._close(loop))
            return self._closing

    async def _close(self, background: BackgroundLoop) -> None:
        try:
            if self._starting is not None:
                self._starting.cancel()
                with contextlib.suppress(Exception, asyncio.CancelledError):
                    await (await self._starting).close()
            await end(asyncio.all_tasks() - {asyncio.current_task()})
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
