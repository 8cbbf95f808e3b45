"""WorkerLoops: each loop owns one worker at a time and gives it one job at a time.

A worker that fails, or writes anything but a reply, is replaced, and what it was doing is done
once more by another one. If workers keep dying, the loops end, and every waiting call fails.
"""

import asyncio
import logging

from rgenv.errors import PoolBroken
from rgenv.pool.factory import WorkerFactory
from rgenv.pool.jobs import Job, JobQueue
from rgenv.pool.process import MalformedReply, TasksRefused, Worker, WorkerDied, WorkerTimeout
from rgenv.runtime.parts import end

log = logging.getLogger(__name__)

MAX_DEATHS_IN_A_ROW = 8

DEATH_PAUSE = 0.05
"""Seconds; doubled with each death in a row. The first one costs none."""

CLOSED = "The worker pool is closed."


class WorkerLoops:
    """The loops of a pool.

    Attributes:
        jobs: what waits for a worker.
        broken: why they ended; None while they run.
        restarts: how many workers were replaced because they failed.
        malformed: how many of them wrote something else than a reply to what they were asked.
    """

    def __init__(self, factory: WorkerFactory) -> None:
        self._factory = factory
        self._loops: list[asyncio.Task[None]] = []
        self._deaths_in_a_row = 0
        self.jobs = JobQueue(factory.live)
        self.broken: PoolBroken | None = None
        self.restarts = 0
        self.malformed = 0

    def start(self, first: Worker, size: int) -> None:
        """Start so many loops: one has a worker."""
        workers = [first, *[None] * (size - 1)]
        self._loops = [asyncio.create_task(self._run(worker)) for worker in workers]

    async def end(self) -> None:
        """End the loops and their workers, and wait until they are gone; idempotent."""
        loops, self._loops = self._loops, []
        self._break(PoolBroken(CLOSED))
        await end(loops)

    async def _run(self, worker: Worker | None) -> None:
        try:
            while self.broken is None:
                worker = worker or await self._new_worker()
                try:
                    await self._serve(worker)
                finally:
                    await self._factory.retire(worker)
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
                return await self._factory.take()
            except (WorkerDied, WorkerTimeout) as error:
                self._count_death(error)
            except TasksRefused as refusal:
                raise PoolBroken(f"A worker can't be replaced: {refusal.args[0]}") from None

    async def _serve(self, worker: Worker) -> None:
        """Give a worker one job after the other, until it fails or another one is better."""
        while self.broken is None:
            job = await self.jobs.next_for(worker)
            if self._factory.is_outdated(worker):
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
