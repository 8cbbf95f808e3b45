"""Workers: the workers of a pool, which serve one call at a time, and the calls that wait for one.

A template forks the workers. A worker that fails, or writes anything but a reply, is ended, and
another one takes its place; its call decides what is done once more. If workers keep dying, every
call fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterable
from operator import itemgetter
from typing import NamedTuple

from rgenv.errors import PoolBroken
from rgenv.pool.process import (
    MalformedReply,
    TasksRefused,
    Template,
    Worker,
    WorkerDied,
    WorkerRefused,
    WorkerTimeout,
)
from rgenv.runtime.parts import end
from rgenv.worker.protocol import Confined, Greeting, WorkerSettings

log = logging.getLogger(__name__)

CHEAP_TO_REMAKE = 0.1
"""Seconds. A problem that took longer to make is scored by the worker that made it, even if the
call has to wait for that worker."""

MAX_DEATHS_IN_A_ROW = 8

DEATH_PAUSE = 0.05
"""Seconds; doubled with each death in a row. The first one costs none."""


class WallIncomplete(WorkerDied):
    """A worker lacks a layer that its machine could have; the message has the remedy."""


class Wish(NamedTuple):
    """What a call wants of a worker; the call that scores says who made its problem, if known."""

    scores: bool = False
    maker: Worker | None = None
    making_seconds: float = 0.0

    def rank(self, worker: Worker) -> int | None:
        """Return how early a worker is to serve the call; None if it is not to serve it."""
        if not self.scores:
            return 2
        if self.maker is worker:
            return 0
        is_cheap = self.making_seconds <= CHEAP_TO_REMAKE
        return 1 if is_cheap or self.maker is None or self.maker.ended else None


class Workers:
    """The workers of a pool, with their template and the calls that wait for them.

    Attributes:
        greeting: what the workers know of the library, once there was one.
        live: all started workers, until they are gone.
        broken: why no call is served any more; None while calls are.
        restarts: how many workers were replaced because they failed.
        malformed: how many of them wrote something else than a reply to what they were asked.
    """

    def __init__(self, settings: WorkerSettings, *, require_wall: bool) -> None:
        self._settings, self._require_wall = settings, require_wall
        self._loop: asyncio.AbstractEventLoop | None = None
        self._template: Template | None = None
        self._turn = asyncio.Lock()
        self._preparing: asyncio.Task[None] | None = None
        self._tasks: list[str] = []
        self._starting: set[asyncio.Task[None]] = set()
        self._free: list[Worker] = []
        self._waiting: list[tuple[Wish, asyncio.Future[Worker]]] = []
        self.greeting: Greeting | None = None
        self.live: set[Worker] = set()
        self.broken: PoolBroken | None = None
        self._deaths_in_a_row = self.restarts = self.malformed = 0

    # Calls

    def require(self) -> None:
        """Raise PoolBroken if the pool is broken, closed, not started, or of another event loop."""
        if self.broken is not None:
            raise self.broken
        if self._loop is None:
            raise PoolBroken("The worker pool is not started: `await pool.start()` first.")
        if self._loop is not asyncio.get_running_loop():
            raise PoolBroken(
                "The worker pool belongs to the event loop that started it: call it there, or let "
                "rgenv.runtime.background_loop.BackgroundLoop host it for all event loops."
            )

    @contextlib.asynccontextmanager
    async def lend(self, wish: Wish, *, first: bool = False) -> AsyncIterator[Worker]:
        """Wait for a worker, and have it until the end of the block.

        Calls are served in the order of their rank, and then of their arrival; one that lost its
        worker comes `first`. If the block raises anything but WorkerRefused, another worker takes
        the place of this one.

        Raises: as `require`.
        """
        self.require()
        turn: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._waiting.insert(0 if first else len(self._waiting), (wish, turn))
        self._hand_out()
        try:
            worker = await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._free.append(turn.result())  # it was given meanwhile
                self._hand_out()
            raise
        worker.has_replied = False
        try:
            yield worker
        except WorkerRefused:
            self._take_back(worker)
            raise
        except (WorkerDied, WorkerTimeout) as error:
            self._replace(worker)
            if self.broken is not None:
                raise self.broken from None
            self.restarts += 1
            if worker.has_replied:
                self._deaths_in_a_row = 0
            if isinstance(error, WorkerDied) and not worker.template.ended:
                self._count_death(error)  # else the template is counted, when it is missed
            raise
        except (Exception, asyncio.CancelledError):  # it may still send what nobody waits for
            self._replace(worker)
            raise
        self._take_back(worker)

    def _take_back(self, worker: Worker) -> None:
        self._deaths_in_a_row = 0
        self._free.append(worker)
        self._hand_out()

    def _hand_out(self) -> None:
        """Give the free workers to those who wait; replace workers that are of no more use."""
        unfit = [worker for worker in self._free if self.broken or self._is_unfit(worker)]
        self._free = [worker for worker in self._free if worker not in unfit]
        for worker in unfit:
            self._replace(worker)
            if worker.ended and self.broken is None:
                self.restarts += 1
                if not worker.template.ended:
                    self._count_death(WorkerDied("it ended while it waited for a request"))
        self._waiting = [one for one in self._waiting if not one[1].done()]
        while pairs := [
            (rank, place, worker)
            for worker in self._free
            for place, (wish, _) in enumerate(self._waiting)
            if (rank := wish.rank(worker)) is not None
        ]:
            _, place, worker = min(pairs, key=itemgetter(0, 1))
            self._free.remove(worker)
            self._waiting.pop(place)[1].set_result(worker)

    def _is_unfit(self, worker: Worker) -> bool:
        """Whether a worker has ended, or those that the template forks now are better prepared."""
        is_prepared = self._preparing is None or self._preparing.done()
        return worker.ended or (is_prepared and worker.prepared < worker.template.prepared)

    # Starts and ends

    async def start(self, size: int) -> Worker:
        """Start so many workers, and return the first one; the errors say why there is none."""
        self._loop = asyncio.get_running_loop()
        first = await self._new_worker()
        self._free.append(first)
        for _ in range(size - 1):
            self._replace(None)
        return first

    async def end(self) -> None:
        """End the calls and the workers, and wait until these are gone; idempotent.

        From another event loop, the workers are killed and nothing is waited for.
        """
        closed = PoolBroken("The worker pool is closed.")
        if self._loop is not asyncio.get_running_loop():
            self.broken = self.broken or closed
            if self._template is not None:
                self._template.kill_at_once()
            return
        self._break(closed)
        await end(self._starting)
        await asyncio.gather(*map(self._retire, self.live))  # by the template, which may prepare
        if self._preparing is not None:
            await end([self._preparing])
        if self._template is not None:
            await self._template.kill()

    def prepare(self, tasks: Iterable[str]) -> None:
        """Prepare tasks in the background; workers that are forked later have what that made."""
        self._tasks = list(tasks)
        if self._template is not None:
            self._preparing = asyncio.create_task(self._prepare(self._template))

    async def _prepare(self, template: Template) -> None:
        for task in self._tasks.copy():
            try:
                await template.prepare(task)
            except (WorkerDied, WorkerTimeout):
                self._tasks = [one for one in self._tasks if one != task]  # not tried again
                return

    async def _new_worker(self) -> Worker:
        """Return a new worker; the errors say why there is none.

        PoolBroken: the pool is closed, or the worker has other tasks than those before.
        """
        if self.live and self._preparing is not None:
            await asyncio.wait([self._preparing])  # one worker serves meanwhile
        async with self._turn:
            if self.broken is not None:
                raise self.broken
            template = self._template = self._template or Template(self._settings)
            try:
                if template.greeting is None:
                    greeting = await template.greet()
                    self.greeting = self.greeting or greeting
                    if greeting != self.greeting:
                        words = ", ".join(module.word for module in self._settings.task_modules)
                        raise PoolBroken(
                            f"{words or 'reasoning-gym'} changed while this run used it: start "
                            "the run again."
                        )
                    self._preparing = asyncio.create_task(self._prepare(template))
                worker = await template.fork()
            except BaseException:
                if template.ended:
                    self._template = None
                    await template.kill()
                raise
        self.live.add(worker)
        missing = _without(worker.confined, "missing")
        if missing and self._require_wall:
            await self._retire(worker)
            raise WallIncomplete(
                "--env.require_wall demands all layers around the workers, and they run without "
                f"{missing}."
            )
        return worker

    def _replace(self, worker: Worker | None) -> None:
        """End a worker, if there is one, and start another in its place, both in the background."""
        starting = asyncio.create_task(self._start_in_place_of(worker))
        self._starting.add(starting)
        starting.add_done_callback(self._starting.discard)

    async def _start_in_place_of(self, worker: Worker | None) -> None:
        try:
            if worker is not None:
                await self._retire(worker)
                self._hand_out()  # others may score what it has made
            while self.broken is None:
                if self._deaths_in_a_row > 1:
                    await asyncio.sleep(min(5.0, DEATH_PAUSE * 2**self._deaths_in_a_row))
                try:
                    started = await self._new_worker()
                except (WorkerDied, WorkerTimeout) as error:
                    self._count_death(error)
                else:
                    self._free.append(started)
                    self._hand_out()
                    return
            self._break(self.broken)  # by another thread, which fails no call of this loop
        except TasksRefused as refusal:
            self._break(PoolBroken(f"A worker can't be replaced: {refusal.args[0]}"))
        except PoolBroken as error:
            self._break(error)
        except Exception as error:  # a mistake in this program must leave no caller waiting
            log.exception("The worker pool fails.")
            self._break(PoolBroken(f"The worker pool failed: {error!r}."))

    async def _retire(self, worker: Worker) -> None:
        await worker.end()
        self.live.discard(worker)

    def _count_death(self, error: WorkerDied | WorkerTimeout) -> None:
        """Count a worker that died without a reply since the last one; too many break the pool."""
        if isinstance(error, MalformedReply):
            self.malformed += 1
            log.warning("A worker is replaced, because it broke the protocol: %s.", error)
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row >= MAX_DEATHS_IN_A_ROW:
            self._break(
                PoolBroken(
                    f"{self._deaths_in_a_row} workers died in a row without a single reply (last: "
                    f"{error}). Check the free memory of this machine and the installation of "
                    "reasoning-gym."
                )
            )

    def _break(self, error: PoolBroken) -> None:
        """Fail the calls that wait, and those to come; the first reason stays."""
        self.broken = self.broken or error
        for _, turn in self._waiting:
            if not turn.done():
                turn.set_exception(self.broken)
        self._hand_out()  # ends the free workers


def say_layers(confined: Confined) -> None:
    """Log one line: the layers of a worker; a warning, with the remedies, if some are missing."""
    held = ", ".join(confined.layers)
    missing, absent = (_without(confined, state) for state in ("missing", "absent"))
    if missing:
        log.warning("Workers are confined by %s only, without %s.", held, missing)
    else:
        log.info("Workers are confined by %s%s.", held, absent and f", without {absent}")


def _without(confined: Confined, state: str) -> str:
    """Return the layers of a state, each with its words."""
    others = confined.missing.items()
    return ", ".join(f"{name} ({words})" for name, (found, words) in others if found == state)
