"""Slots: each is a task that owns one worker at a time and gives it one job at a time.

A worker that fails, or writes what it was not asked for, is replaced, and what it was doing is done
once more by another one. If workers keep dying, the slots end, and every waiting call fails.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from rgenv.errors import MakeFailed, PoolBroken
from rgenv.pool import replies
from rgenv.pool.coverage import Coverage
from rgenv.pool.jobs import Job, JobQueue, MadeProblems, ScoreJob
from rgenv.pool.process import MalformedReply, WorkerDied, WorkerProcess, WorkerTimeout
from rgenv.pool.replies import MAX_VERDICT_BYTES, TasksRefused, WorkerRefused
from rgenv.pool.workers import WorkerSupply
from rgenv.runtime.parts import end
from rgenv.types import Kind, Verdict
from rgenv.worker.protocol import TaskModule

log = logging.getLogger(__name__)

CANCEL_GRACE = 0.2
"""Seconds that a worker has to finish a request whose caller is gone, before it is replaced."""

MAX_DEATHS_IN_A_ROW = 8

DEATH_PAUSE = 0.05
"""Seconds; doubled with each death in a row. The first one costs none."""

CLOSED = "The worker pool is closed."

NOT_MADE = "the problem can't be made"
"""The beginning of a verdict's detail if the worker could not make the problem again."""


class Slots:
    """The slots of a pool, whose arguments they get.

    Attributes:
        jobs: what waits for a worker.
        made: which worker made which problem.
        broken: why they ended; None while they run.
        restarts: how many workers were replaced.
        malformed: how many of them wrote something that is no reply to what they were asked.
    """

    def __init__(
        self,
        supply: WorkerSupply,
        *,
        scoring_timeout: float,
        generation_timeout: float,
        task_modules: Sequence[TaskModule],
    ) -> None:
        self._workers = supply
        self._scoring_timeout = scoring_timeout
        self._generation_timeout = generation_timeout
        self._task_modules = task_modules
        self._slots: list[asyncio.Task[None]] = []
        self._coverage = Coverage()
        self._deaths_in_a_row = 0
        self.jobs = JobQueue(supply.live)
        self.made = MadeProblems()
        self.broken: PoolBroken | None = None
        self.restarts = 0
        self.malformed = 0

    def start(self, first: WorkerProcess, size: int) -> None:
        """Start slots: one has a worker, which the workers of the others have to be like."""
        self._coverage = Coverage.of(first.handshake)
        workers = [first, *[None] * (size - 1)]
        self._slots = [asyncio.create_task(self._run(worker)) for worker in workers]

    async def end(self) -> None:
        """End the slots and their workers, and wait until they are gone; idempotent."""
        slots, self._slots = self._slots, []
        await end(slots)

    async def _run(self, first: WorkerProcess | None) -> None:
        worker = first
        try:
            while self.broken is None:
                worker = worker or await self._take_worker()
                try:
                    self.restarts += await self._serve_jobs(worker)
                finally:
                    self.made.forget(worker)
                    await self._workers.retire(worker)
                    self.jobs.wake()
                worker = None
        except PoolBroken:
            pass
        except Exception as error:  # a mistake in this program must leave no caller waiting
            log.exception("The worker pool fails.")
            self._break(PoolBroken(f"The worker pool failed: {error!r}."))

    async def _take_worker(self) -> WorkerProcess:
        """Return a started worker, after a pause if workers keep dying."""
        while True:
            if self._deaths_in_a_row > 1:
                await asyncio.sleep(min(5.0, DEATH_PAUSE * 2**self._deaths_in_a_row))
            try:
                worker = await self._workers.take()
            except (WorkerDied, WorkerTimeout) as error:
                self._count_death(error)
                continue
            except TasksRefused as refusal:
                raise self._break(PoolBroken(f"A worker can't be replaced: {refusal}")) from None
            if Coverage.of(worker.handshake) != self._coverage:
                await self._workers.retire(worker)
                raise self._break(_changed(self._task_modules))
            return worker

    def _count_death(self, error: Exception, worker: WorkerProcess | None = None) -> None:
        """Count a worker that died without a reply since the last one; too many break the pool.

        Workers that ended with their template are not counted: the template is, when it is missed.
        """
        if isinstance(error, MalformedReply):
            self.malformed += 1
            log.warning("A worker is replaced, because it broke the protocol: %s.", error)
        if worker is not None and self._workers.is_orphan(worker):
            return
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row >= MAX_DEATHS_IN_A_ROW:
            raise self._break(_too_many_deaths(self._deaths_in_a_row, str(error)))

    def _break(self, error: PoolBroken) -> PoolBroken:
        """End the pool, and return why it ended: the first reason stays."""
        self.broken = self.broken or error
        self.jobs.fail_all(self.broken)
        return self.broken

    async def _serve_jobs(self, worker: WorkerProcess) -> bool:
        """Give a worker one job after the other; return whether it failed, or another is better."""
        while self.broken is None:
            job = await self.jobs.next_for(worker)
            if self._workers.is_outdated(worker):
                self.jobs.put_back(job)
                return False
            try:
                worker.require_usable()
                if not await self._serve(worker, job):
                    return True
            except WorkerDied as error:  # before it had the job
                self.jobs.put_back(job)
                self._count_death(error, worker)
                return True
            except (PoolBroken, asyncio.CancelledError):
                job.fail(self.broken or PoolBroken(CLOSED))
                raise
            except Exception as error:  # JSON can't express the request, or a mistake of ours
                job.fail(error)
                return True
        return False

    async def _serve(self, worker: WorkerProcess, job: Job) -> bool:
        """Do one job; return whether the worker can do another one."""
        work = asyncio.create_task(
            self._score(worker, job) if isinstance(job, ScoreJob) else self._make(worker, job)
        )
        job.future.add_done_callback(lambda future: _cancel_after_grace(future, work))
        try:
            return await work
        except asyncio.CancelledError:
            work.cancel()
            if job.future.cancelled() and self.broken is None:
                return False
            raise

    async def _make(self, worker: WorkerProcess, job: Job) -> bool:
        """Make, solve or inspect a problem; return whether the worker can do another job."""
        started = asyncio.get_running_loop().time()
        worker.send(job.request)
        try:
            seconds = job.makes * self._generation_timeout
            reply = await worker.receive(job.read, timeout=seconds)
        except WorkerRefused as refusal:
            self._deaths_in_a_row = 0
            job.fail(MakeFailed("error", str(refusal)))
            return True
        except WorkerTimeout as error:
            job.fail(MakeFailed("timeout", str(error)))
            return False
        except WorkerDied as error:
            job.crashes += 1
            if job.crashes > 1:
                job.fail(MakeFailed("crashed", str(error)))
            else:
                self.jobs.put_back(job)
            self._count_death(error, worker)
            return False
        self._deaths_in_a_row = 0
        if job.request["op"] == "make":
            seconds = asyncio.get_running_loop().time() - started
            made = {"config": reply["config"], "seed": reply["seed"]}
            self.made.add(job.request | made, worker, seconds)
        job.finish(reply)
        return True

    async def _score(self, worker: WorkerProcess, job: ScoreJob) -> bool:
        """Score the pending answers; return whether the worker can do another job."""
        request = {**job.request, "answers": [job.answers[index] for index in job.pending]}
        worker.send(request, replies=1 + len(job.pending), limit=MAX_VERDICT_BYTES)
        try:
            await worker.receive(replies.made, timeout=self._generation_timeout)
        except WorkerRefused as refusal:
            self._deaths_in_a_row = 0
            job.record_all(Verdict(0.0, "error", detail=f"{NOT_MADE}: {refusal}"))
            job.finish(True)
            return True
        except (WorkerTimeout, WorkerDied) as error:
            self._after_unmade(worker, job, error)
            return False
        job.unmade = self._deaths_in_a_row = 0
        try:
            while job.pending:
                job.record(await worker.receive(replies.verdict, timeout=self._scoring_timeout))
        except WorkerRefused as refusal:
            job.record(Verdict(0.0, "error", detail=str(refusal)))
            self._continue_elsewhere(job)
            return True
        except WorkerTimeout as error:
            job.record(Verdict(0.0, "timeout", detail=str(error)))
            self._continue_elsewhere(job)
            return False
        except WorkerDied as error:
            job.crashes += 1
            if job.crashes > 1:  # the second worker in a row that died of this answer
                job.record(Verdict(0.0, "crashed", detail=str(error)))
            self._continue_elsewhere(job)
            self._count_death(error, worker)
            return False
        job.finish(True)
        return True

    def _after_unmade(
        self, worker: WorkerProcess, job: ScoreJob, error: WorkerTimeout | WorkerDied
    ) -> None:
        """Have another worker make the problem, or give up after two of them."""
        job.unmade += 1
        if job.unmade > 1:
            kind: Kind = "timeout" if isinstance(error, WorkerTimeout) else "crashed"
            job.record_all(Verdict(0.0, kind, detail=str(error)))
        self._continue_elsewhere(job)
        if isinstance(error, WorkerDied):
            self._count_death(error, worker)

    def _continue_elsewhere(self, job: ScoreJob) -> None:
        """Leave the pending answers to another worker."""
        if job.pending:
            self.jobs.put_back(job)
        else:
            job.finish(True)


def _changed(modules: Sequence[TaskModule]) -> PoolBroken:
    names = ", ".join(module.word for module in modules) or "reasoning-gym"
    return PoolBroken(f"{names} changed while this run used it: start the run again.")


def _too_many_deaths(count: int, reason: str) -> PoolBroken:
    return PoolBroken(
        f"{count} workers died in a row without a single reply (last: {reason}). Check the free "
        "memory of this machine and the installation of reasoning-gym."
    )


def _cancel_after_grace(future: asyncio.Future[Any], work: asyncio.Task[bool]) -> None:
    """If the caller cancelled its call, cancel the work after CANCEL_GRACE."""
    if future.cancelled():
        asyncio.get_running_loop().call_later(CANCEL_GRACE, work.cancel)
