"""Slots: each is a task that owns one worker at a time and gives it one job at a time.

A worker that fails, or writes anything but a reply, is replaced, and what it was doing is done
once more by another one. If workers keep dying, the slots end, and every waiting call fails.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from rgenv.errors import PoolBroken
from rgenv.pool.coverage import Coverage
from rgenv.pool.jobs import Job, JobQueue, MadeProblems
from rgenv.pool.process import MalformedReply, TasksRefused, Worker, WorkerDied, WorkerTimeout
from rgenv.pool.supply import WorkerSupply
from rgenv.runtime.parts import end
from rgenv.worker.protocol import TaskModule

log = logging.getLogger(__name__)

CANCEL_GRACE = 0.2
"""Seconds that a worker has to finish a request whose caller is gone, before it is replaced."""

MAX_DEATHS_IN_A_ROW = 8

DEATH_PAUSE = 0.05
"""Seconds; doubled with each death in a row. The first one costs none."""

CLOSED = "The worker pool is closed."


class Slots:
    """The slots of a pool, whose arguments they get.

    Attributes:
        jobs: what waits for a worker.
        made: which worker made which problem.
        broken: why they ended; None while they run.
        restarts: how many workers were replaced.
        malformed: how many of them wrote something that is no reply to what they were asked.
    """

    def __init__(self, supply: WorkerSupply, task_modules: Sequence[TaskModule]) -> None:
        self._supply = supply
        self._task_modules = task_modules
        self._slots: list[asyncio.Task[None]] = []
        self._coverage = Coverage()
        self._deaths_in_a_row = 0
        self.jobs = JobQueue(supply.live)
        self.made = MadeProblems()
        self.broken: PoolBroken | None = None
        self.restarts = 0
        self.malformed = 0

    def start(self, first: Worker, coverage: Coverage, size: int) -> None:
        """Start slots: one has a worker. Later templates have to have the same tasks."""
        self._coverage = coverage
        workers = [first, *[None] * (size - 1)]
        self._slots = [asyncio.create_task(self._run(worker)) for worker in workers]

    async def end(self) -> None:
        """End the slots and their workers, and wait until they are gone; idempotent."""
        slots, self._slots = self._slots, []
        await end(slots)

    async def _run(self, first: Worker | None) -> None:
        worker = first
        try:
            while self.broken is None:
                worker = worker or await self._take_worker()
                try:
                    self.restarts += await self._serve(worker)
                finally:
                    await self._supply.retire(worker)
                    self.jobs.wake()
                worker = None
        except PoolBroken:
            pass
        except Exception as error:  # a mistake in this program must leave no caller waiting
            log.exception("The worker pool fails.")
            self._break(PoolBroken(f"The worker pool failed: {error!r}."))

    async def _take_worker(self) -> Worker:
        """Return a started worker, after a pause if workers keep dying."""
        while True:
            if self._deaths_in_a_row > 1:
                await asyncio.sleep(min(5.0, DEATH_PAUSE * 2**self._deaths_in_a_row))
            try:
                worker, greeting = await self._supply.take()
            except (WorkerDied, WorkerTimeout) as error:
                self._count_death(error)
                continue
            except TasksRefused as refusal:
                raise self._break(PoolBroken(f"A worker can't be replaced: {refusal}")) from None
            if Coverage.of(greeting) != self._coverage:
                await self._supply.retire(worker)
                raise self._break(_changed(self._task_modules))
            return worker

    def _count_death(self, error: Exception, worker: Worker | None = None) -> None:
        """Count a worker that died without a reply since the last one; too many break the pool.

        Workers that ended with their template are not counted: the template is, when it is missed.
        """
        if isinstance(error, MalformedReply):
            self.malformed += 1
            log.warning("A worker is replaced, because it broke the protocol: %s.", error)
        if worker is not None and worker.has_replied:
            self._deaths_in_a_row = 0
        if worker is not None and worker.template.ended:
            return
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row >= MAX_DEATHS_IN_A_ROW:
            raise self._break(_too_many_deaths(self._deaths_in_a_row, str(error)))

    def _break(self, error: PoolBroken) -> PoolBroken:
        """End the pool, and return why it ended: the first reason stays."""
        self.broken = self.broken or error
        self.jobs.fail_all(self.broken)
        return self.broken

    async def _serve(self, worker: Worker) -> bool:
        """Give a worker one job after the other; return whether it failed, or another is better."""
        while self.broken is None:
            job = await self.jobs.next_for(worker)
            if self._supply.is_outdated(worker):
                self.jobs.put(job, first=True)
                return False
            try:
                if not await self._do(worker, job):
                    return True
            except (PoolBroken, asyncio.CancelledError):
                job.fail(self.broken or PoolBroken(CLOSED))
                raise
            except Exception as error:  # JSON can't express the request, or a mistake of ours
                job.fail(error)
                return True
        return False

    async def _do(self, worker: Worker, job: Job) -> bool:
        """Do one job; return whether the worker can do another one."""
        failure: WorkerDied | WorkerTimeout
        try:
            if worker.ended:
                failure = WorkerDied("it ended while it waited for a request")
            elif not await self._run_for_caller(worker, job):
                return False
            else:
                self._deaths_in_a_row = 0
                self._put_back(job)
                return True
        except (WorkerDied, WorkerTimeout) as error:
            failure = error
            job.lose(error)
        self._put_back(job)
        if isinstance(failure, WorkerDied):
            self._count_death(failure, worker)
        return False

    def _put_back(self, job: Job) -> None:
        """Leave what is still to be done of a job to another worker."""
        if not job.future.done():
            self.jobs.put(job, first=True)

    async def _run_for_caller(self, worker: Worker, job: Job) -> bool:
        """Run a job; return False if its caller is gone, and the worker did not end it soon."""
        work = asyncio.create_task(job.run(worker))
        job.future.add_done_callback(lambda future: _cancel_after_grace(future, work))
        try:
            await asyncio.wait([work])
        finally:
            work.cancel()
        if work.cancelled():
            return False
        work.result()
        return True


def _changed(modules: Sequence[TaskModule]) -> PoolBroken:
    names = ", ".join(module.word for module in modules) or "reasoning-gym"
    return PoolBroken(f"{names} changed while this run used it: start the run again.")


def _too_many_deaths(count: int, reason: str) -> PoolBroken:
    return PoolBroken(
        f"{count} workers died in a row without a single reply (last: {reason}). Check the free "
        "memory of this machine and the installation of reasoning-gym."
    )


def _cancel_after_grace(future: asyncio.Future[Any], work: asyncio.Task[None]) -> None:
    """If the caller cancelled its call, cancel the work after CANCEL_GRACE."""
    if future.cancelled():
        asyncio.get_running_loop().call_later(CANCEL_GRACE, work.cancel)
