"""ReasoningGym and AsyncReasoningGym: problems and scores for any program.

::

    with ReasoningGym(tasks=["arithmetic", "maze"], seed=7) as gym:
        problem = gym.make("gcd", seed=7, level=0.5)
        gym.score(problem, ["<answer>4</answer>"])

    async with AsyncReasoningGym(tasks=["arithmetic"]) as gym:
        problem = await gym.make("gcd", seed=7, level=0.5)

Both have the same methods, most of them methods of `Gym`, waited for or awaited. Any number of
threads and event loops may call them at the same time.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import functools
import inspect
import itertools
import os
import threading
import weakref
from collections import deque
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from concurrent.futures import Future
from typing import Any, Concatenate, NoReturn, ParamSpec, SupportsIndex, TypeVar

from rgenv.errors import BadUsage, PoolBroken, check_all
from rgenv.gym.gym import JOBS_PER_WORKER, Gym
from rgenv.gym.recipes import LevelChoice, ProblemOrRecipe, read_count, read_stream_level
from rgenv.gym.settings import Settings, read_settings
from rgenv.runtime.background_loop import BackgroundLoop
from rgenv.runtime.parts import end
from rgenv.text import did_you_mean, nearest
from rgenv.types import Problem

P = ParamSpec("P")
T = TypeVar("T")

Work = Callable[[Gym], Coroutine[Any, Any, T]]

Method = Callable[Concatenate[Gym, P], Coroutine[Any, Any, T]]

ARGUMENTS = {field.alias or name: field for name, field in Settings.model_fields.items()}
"""Argument of a client -> the setting that it is."""

CLOSED = "This gym is closed: make another one."


class GymThread:
    """Runs one gym in a thread of its own, for callers in any thread and any event loop.

    The workers start with the first call; a start that fails is told to each caller. A thread that
    nobody closes is closed when the process ends.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._pid = os.getpid()
        self._loop = BackgroundLoop()
        self._lock = threading.RLock()
        self._starting: asyncio.Task[Gym] | None = None
        self._gym: Gym | None = None
        self._closing: Future[None] | None = None
        self._last: Future[dict[str, Any]] = Future()  # the state at the end
        self._ending = False  # in the loop, which may see it before `_closing` is set
        atexit.register(self.close, 10.0)  # the end of the process waits no longer

    @property
    def gym(self) -> Gym:
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
            return self._loop.submit(self._in_loop(work))

    async def _in_loop(self, work: Work[T]) -> T:
        if self._starting is None:
            self._starting = asyncio.create_task(Gym.start(self.settings))
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
        """Wait for a result; cancel it if the caller is interrupted."""
        try:
            return future.result()
        finally:
            future.cancel()

    def state(self) -> Future[dict[str, Any]]:
        """Return the state of the streams, also after the end."""
        return self._last if self._last.done() else self.submit(Gym.state_dict)

    def begin_close(self) -> Future[None]:
        """End the workers in the background; return what `close` waits for."""
        if os.getpid() != self._pid:  # the workers belong to the process that forked this one
            nothing: Future[None] = Future()
            nothing.set_result(None)
            return nothing
        with self._lock:
            if self._closing is None:
                self._closing = self._loop.submit(self._close())
            return self._closing

    async def _close(self) -> None:
        self._ending = True
        try:
            if self._starting is not None:
                self._starting.cancel()
                with contextlib.suppress(Exception, asyncio.CancelledError):
                    gym = await self._starting
                    await gym.close()
                    self._last.set_result(await gym.state_dict())
            await end(asyncio.all_tasks() - {asyncio.current_task()})
        finally:
            atexit.unregister(self.close)
            self._loop.stop()

    def close(self, timeout: float | None = None) -> None:
        """End the workers and wait for it; idempotent. Calls that wait raise PoolBroken."""
        concurrent.futures.wait([self.begin_close()], timeout)
        if os.getpid() == self._pid:
            self._loop.thread.join(timeout)


def _documented(init: Callable[..., None]) -> Callable[..., None]:
    """Show the arguments of a client in help and editors."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    shown = [
        inspect.Parameter(name, keyword, default=field.default) for name, field in ARGUMENTS.items()
    ]
    itself, tasks, _ = inspect.signature(init).parameters.values()
    init.__signature__ = inspect.Signature([itself, tasks, *shown[1:]])  # type: ignore[attr-defined]
    described = "\n".join(f"    {name}: {field.description}" for name, field in ARGUMENTS.items())
    init.__doc__ = f"{init.__doc__}\n\nArgs:\n{described}\n\nRaises:\n    BadUsage: one is wrong."
    return init


class BaseReasoningGym:
    """What both clients share: the arguments, and what happens to workers that nobody ends."""

    @_documented
    def __init__(self, tasks: Sequence[str] | str = (), **settings: Any) -> None:
        """What determines the problems and their scores."""
        unknown = [name for name in settings if name not in ARGUMENTS]
        known = {name: value for name, value in settings.items() if name in ARGUMENTS}
        *_, read = check_all(
            *(functools.partial(self._refuse, name) for name in unknown),
            lambda: read_settings(tasks=tasks, **known),
        )
        self._thread = GymThread(read)
        # A client that is dropped ends its workers; it does not wait for them, as the garbage
        # collector may run in any thread. The thread ends those of a process that exits.
        weakref.finalize(self, self._thread.begin_close).atexit = False
        self._begin()

    def _refuse(self, name: str) -> NoReturn:
        hint = did_you_mean(["tasks"] if name == "task_names" else nearest(name, ARGUMENTS))
        if name in ("level", "complexity_mode"):
            hint = " Give the level to make(), problems() or held_out()."
        raise BadUsage(f"{type(self).__name__} has no argument {name!r}.{hint}")

    def _begin(self) -> None:
        """Start the workers, if the client does not wait for the first call."""

    @property
    def task_names(self) -> list[str]:
        """The tasks that `problems` serves."""
        return list(self._thread.gym.task_names)

    @property
    def categories(self) -> dict[str, str]:
        """Task -> category, for every available task."""
        return dict(self._thread.gym.categories)

    @property
    def settings(self) -> Settings:
        """The arguments, checked; `settings.dialogue` says how problems are asked and read."""
        return self._thread.settings

    def _remade(self, problems: Iterable[ProblemOrRecipe]) -> Generator[Future[Problem]]:
        works = (functools.partial(Gym.remake, problem=problem) for problem in problems)
        return self._thread.submit_many(works)

    def _served(self, n: SupportsIndex | None, level: LevelChoice) -> Iterator[Future[Problem]]:
        work = functools.partial(Gym.next, level=read_stream_level(level))
        works = itertools.repeat(work) if n is None else itertools.repeat(work, read_count(n))
        return map(self._thread.submit, works)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"A {type(self).__name__} can't be pickled or copied, because its workers belong to "
            "this process: make one in each process, and send problems or recipes."
        )


def _waited(method: Method[P, T]) -> Callable[Concatenate[ReasoningGym, P], T]:
    """Return a method of ReasoningGym."""

    @functools.wraps(method)
    def call(self: ReasoningGym, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._thread.wait(self._thread.submit(_work(method, *args, **kwargs)))

    return call


def _awaited(method: Method[P, T]) -> Callable[Concatenate[AsyncReasoningGym, P], Awaitable[T]]:
    """Return a method of AsyncReasoningGym."""

    @functools.wraps(method)
    async def call(self: AsyncReasoningGym, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.wrap_future(self._thread.submit(_work(method, *args, **kwargs)))

    return call


def _work(method: Method[P, T], *args: P.args, **kwargs: P.kwargs) -> Work[T]:
    # An iterator is read here, in the thread of the caller: it may call the gym itself.
    read = [list(one) if isinstance(one, Iterator) else one for one in args]
    named = {name: list(one) if isinstance(one, Iterator) else one for name, one in kwargs.items()}
    return lambda gym: method(gym, *read, **named)  # type: ignore[arg-type]


class ReasoningGym(BaseReasoningGym):
    """Makes problems and scores completions, from plain code.

    ::

        with ReasoningGym(tasks=["arithmetic"], seed=7, workers=2) as gym:
            for problem in gym.problems(100, level="random"):
                completions = ask(problem.messages)
                scores = gym.score(problem, completions)

    The workers start with the object, which takes about a second, and end with it: by `close`, at
    the end of a ``with``, when nobody refers to it any more, and when the process ends.
    """

    def _begin(self) -> None:
        try:
            self.state_dict()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ReasoningGym:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers; idempotent. Calls that wait in other threads raise PoolBroken."""
        self._thread.close()

    make = _waited(Gym.make)
    score = _waited(Gym.score)
    verdicts = _waited(Gym.verdicts)
    score_many = _waited(Gym.score_many)
    verdicts_many = _waited(Gym.verdicts_many)
    held_out = _waited(Gym.held_out)
    observe = _waited(Gym.observe)
    load_state_dict = _waited(Gym.load_state_dict)

    def state_dict(self) -> dict[str, Any]:
        """Return a JSON-able state of `problems` and of what `observe` taught, also after `close`.

        A gym with the same arguments goes on exactly where this one stands, after
        `load_state_dict`: the next problem of each stream is the same.
        """
        return self._thread.wait(self._thread.state())

    def make_many(self, problems: Iterable[ProblemOrRecipe]) -> Iterator[Problem]:
        """Make the problems of many recipes, in order; eight for each worker at a time.

        ::

            recipes = ({"task": "gcd", "seed": seed, "level": 0.5} for seed in range(10**6))
            for problem in gym.make_many(recipes):
                ...

        Args:
            problems: recipes, as `make` takes them, also as JSON strings, or problems. They are
                read as results are taken, so both may be without end.

        Raises: as `make`; by the iterator.
        """
        return map(self._thread.wait, self._remade(problems))

    def problems(self, n: int | None = None, level: LevelChoice = None) -> Iterator[Problem]:
        """Return the next training problems, of the stream for this way of choosing levels.

        A held-out problem is never among them, and none comes twice while its task has others. The
        next call goes on where this one stopped.

        Args:
            n: how many; None: without end.
            level: a level in [0, 1] for all of them; ``random``: a random one each;
                ``curriculum``: the one at which the model has the target accuracy, as `observe`
                learns; None: the tasks' default parameters.

        Raises:
            BadUsage: an argument makes no sense; the iterator raises it if no problem with the
                parameters of `task_configs` can be served.
            StartupError: hundreds of problems in a row can't be served; raised by the iterator.
        """
        # `map` may be shared by threads; a generator may not.
        return map(self._thread.wait, self._served(n, level))


class AsyncReasoningGym(BaseReasoningGym):
    """Makes problems and scores completions; `ReasoningGym` has the same methods.

    ::

        async with AsyncReasoningGym(tasks=["arithmetic"], seed=7) as gym:
            async for problem in gym.problems(100, level="random"):
                scores = await gym.score(problem, await ask(problem.messages))

    The workers start with ``async with``, or else with the first call. Calls may come from several
    event loops.
    """

    async def __aenter__(self) -> AsyncReasoningGym:
        try:
            await self.state_dict()  # starts the workers
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """As `ReasoningGym.close`."""
        await asyncio.wrap_future(self._thread.begin_close())

    make = _awaited(Gym.make)
    score = _awaited(Gym.score)
    verdicts = _awaited(Gym.verdicts)
    score_many = _awaited(Gym.score_many)
    verdicts_many = _awaited(Gym.verdicts_many)
    held_out = _awaited(Gym.held_out)
    observe = _awaited(Gym.observe)
    load_state_dict = _awaited(Gym.load_state_dict)

    async def state_dict(self) -> dict[str, Any]:
        """As `ReasoningGym.state_dict`."""
        return await asyncio.wrap_future(self._thread.state())

    def make_many(self, problems: Iterable[ProblemOrRecipe]) -> AsyncIterator[Problem]:
        """As `ReasoningGym.make_many`, for ``async for``."""
        return self._results(self._remade(problems))

    def problems(self, n: int | None = None, level: LevelChoice = None) -> AsyncIterator[Problem]:
        """As `ReasoningGym.problems`, for ``async for``."""
        return self._results(self._served(n, level))

    async def _results(self, futures: Iterator[Future[Problem]]) -> AsyncIterator[Problem]:
        for future in futures:
            yield await asyncio.wrap_future(future)
