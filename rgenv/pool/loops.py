"""WorkerLoops: each loop owns one worker at a time and gives it one job at a time.

A template forks the workers. A worker that fails, or writes anything but a reply, is replaced, and
what it was doing is done once more by another one. If workers keep dying, every call fails.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from rgenv.errors import PoolBroken
from rgenv.pool.jobs import Job, JobQueue
from rgenv.pool.process import (
    MalformedReply,
    TasksRefused,
    Template,
    Worker,
    WorkerDied,
    WorkerTimeout,
)
from rgenv.runtime.parts import end
from rgenv.worker.protocol import Confined, Greeting, WorkerSettings

log = logging.getLogger(__name__)

MAX_DEATHS_IN_A_ROW = 8

DEATH_PAUSE = 0.05
"""Seconds; doubled with each death in a row. The first one costs none."""

CLOSED = "The worker pool is closed."


class WallIncomplete(WorkerDied):
    """A worker lacks a layer that its machine could have; the message has the remedy."""


class WorkerLoops:
    """The loops of a pool, with their workers and the template of these.

    Attributes:
        greeting: what the workers know of the library, once there was one.
        live: all started workers, until they are gone.
        jobs: what waits for a worker.
        broken: why the loops ended; None while they run.
        restarts: how many workers were replaced because they failed.
        malformed: how many of them wrote something else than a reply to what they were asked.
    """

    def __init__(self, settings: WorkerSettings, *, require_wall: bool) -> None:
        self._settings, self._require_wall = settings, require_wall
        self._template: Template | None = None
        self._turn = asyncio.Lock()
        self._preparing: asyncio.Task[None] | None = None
        self._tasks: list[str] = []
        self._loops: list[asyncio.Task[None]] = []
        self.greeting: Greeting | None = None
        self.live: set[Worker] = set()
        self.jobs = JobQueue()
        self.broken: PoolBroken | None = None
        self._deaths_in_a_row = self.restarts = self.malformed = 0

    def start(self, first: Worker, size: int) -> None:
        """Start so many loops: one has a worker."""
        workers = [first, *[None] * (size - 1)]
        self._loops = [asyncio.create_task(self._run(worker)) for worker in workers]

    def kill_at_once(self) -> None:
        """Kill all workers without waiting, from any thread or event loop."""
        self.broken = self.broken or PoolBroken(CLOSED)
        if self._template is not None:
            self._template.kill_at_once()

    async def end(self) -> None:
        """End the loops and their workers, and wait until they are gone; idempotent."""
        loops, self._loops = self._loops, []
        self._break(PoolBroken(CLOSED))
        await end(loops)  # the template, which prepares, ends their workers
        if self._preparing is not None:
            await end([self._preparing])
        await asyncio.gather(*map(self._retire, list(self.live)))
        if self._template is not None:
            await self._template.kill()

    # Workers

    async def take(self) -> Worker:
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
                    self._require_same(await template.greet())
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

    def _require_same(self, greeting: Greeting) -> None:
        self.greeting = self.greeting or greeting
        if greeting != self.greeting:
            modules = self._settings.task_modules
            names = ", ".join(module.word for module in modules) or "reasoning-gym"
            raise PoolBroken(f"{names} changed while this run used it: start the run again.")

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
                self._tasks.remove(task)  # the next template does not try it
                return

    async def _retire(self, worker: Worker) -> None:
        await worker.end()
        self.live.discard(worker)

    # Loops

    async def _run(self, worker: Worker | None) -> None:
        try:
            while self.broken is None:
                worker = worker or await self._new_worker()
                try:
                    await self._serve(worker)
                finally:
                    await self._retire(worker)
                    self.jobs.wake()
                worker = None
            raise self.broken  # what this loop has put back fails, too
        except PoolBroken as error:
            self._break(error)
        except Exception as error:  # a mistake in this program must leave no caller waiting
            log.exception("The worker pool fails.")
            self._break(PoolBroken(f"The worker pool failed: {error!r}."))

    async def _new_worker(self) -> Worker:
        """Return a started worker, after a pause if workers keep dying."""
        while True:
            if self._deaths_in_a_row > 1:
                await asyncio.sleep(min(5.0, DEATH_PAUSE * 2**self._deaths_in_a_row))
            try:
                return await self.take()
            except (WorkerDied, WorkerTimeout) as error:
                self._count_death(error)
            except TasksRefused as refusal:
                raise PoolBroken(f"A worker can't be replaced: {refusal.args[0]}") from None

    async def _serve(self, worker: Worker) -> None:
        """Give a worker one job after the other, until it fails or another one is better."""
        while self.broken is None:
            job = await self.jobs.next_for(worker)
            is_prepared = self._preparing is None or self._preparing.done()
            if is_prepared and worker.prepared < worker.template.prepared:
                self.jobs.put(job, first=True)
                return
            failure = await self._failure(worker, job)
            if not job.future.done():  # another worker does what is left
                self.jobs.put(job, first=True)
            if failure is None:
                self._deaths_in_a_row = 0
                continue
            if isinstance(failure, WorkerDied) and not worker.template.ended:
                self._count_death(failure)  # else the template is counted, when it is missed
            return

    async def _failure(self, worker: Worker, job: Job) -> BaseException | None:
        """Do a job; return why the worker can't do another one, if it can't."""
        if worker.ended:
            self.restarts += 1
            return WorkerDied("it ended while it waited for a request")
        work = asyncio.create_task(job.run(worker))
        job.future.add_done_callback(lambda _: work.cancel())  # its caller may be gone
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            job.fail(self.broken or PoolBroken(CLOSED))
            raise
        finally:
            work.cancel()
        if work.cancelled():
            return asyncio.CancelledError()
        if (error := work.exception()) is None:
            return None
        self.restarts += 1
        if isinstance(error, WorkerDied | WorkerTimeout):
            if job.is_made:
                self._deaths_in_a_row = 0
            job.lose(error)
        else:  # JSON can't express the request, or a mistake of ours
            job.fail(error)
        return error

    def _count_death(self, error: WorkerDied | WorkerTimeout) -> None:
        """Count a worker that died without a reply since the last one; too many break the pool."""
        if isinstance(error, MalformedReply):
            self.malformed += 1
            log.warning("A worker is replaced, because it broke the protocol: %s.", error)
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row >= MAX_DEATHS_IN_A_ROW:
            raise PoolBroken(
                f"{self._deaths_in_a_row} workers died in a row without a single reply (last: "
                f"{error}). Check the free memory of this machine and the installation of "
                "reasoning-gym."
            )

    def _break(self, error: PoolBroken) -> None:
        """End the pool; the first reason stays."""
        self.broken = self.broken or error
        self.jobs.fail_all(self.broken)


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
