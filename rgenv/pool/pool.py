"""WorkerPool: makes problems and scores answers in child processes, and replaces failed workers.

::

    async with WorkerPool(workers=2) as pool:
        problem = await pool.make("gcd", seed=7)
        verdicts = await pool.score(problem, ["14", "9**9**9", None])

A worker scores the answers of a call one at a time and reports each score at once. If an answer
hangs or kills the worker, only this answer is lost: a new worker scores the others. A worker's
reply is parsed as JSON and checked, nothing more. A worker that writes what it was not asked for is
replaced, and what it was doing is done once more by another one.

Invariants:

- Verdicts are in the order of the answers; the score of a verdict is a finite float in [0, 1].
- Every call ends: with a result, `MakeFailed` or `PoolBroken`, or with the TypeError or ValueError
  of a parameter that JSON can't express. Once a worker has the call, that takes at most 2 G
  (`make`, `solve`, `inspect`, `write`) or 4 G + 2 S for each answer (`score`), where G is
  `generation_timeout` and S is `scoring_timeout`, and the time to replace the workers that failed.
- A pool that can't replace its workers breaks after `MAX_DEATHS_IN_A_ROW` attempts, each of at most
  `START_TIMEOUT` and a pause of 5 seconds.
- A pool serves the event loop that started it. From any other one, and before `start`, a call
  raises PoolBroken at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rgenv.errors import BadUsage, MakeFailed, PoolBroken
from rgenv.pool import replies, wall
from rgenv.pool.coverage import Coverage
from rgenv.pool.jobs import CHEAP_TO_REMAKE, Job, JobQueue, MadeProblems, ScoreJob
from rgenv.pool.process import MalformedReply, WorkerDied, WorkerProcess, WorkerTimeout
from rgenv.pool.replies import MAX_VERDICT_BYTES, TasksRefused, WorkerRefused
from rgenv.pool.verdicts import NOT_MADE, verdict_without_scoring
from rgenv.pool.workers import WorkerSupply
from rgenv.task_names import COMPOSITE
from rgenv.types import Inspection, Kind, Problem, Verdict
from rgenv.worker.protocol import TaskModule, WorkerSettings

log = logging.getLogger(__name__)

MAX_ANSWER_BYTES = 32 * 1024

CANCEL_GRACE = 0.2
"""Seconds that a worker has to finish a request whose caller is gone, before it is replaced."""

MAX_DEATHS_IN_A_ROW = 8

FOREVER = 1e9
"""Seconds."""

DEATH_PAUSE = 0.05
"""Seconds; doubled with each death in a row. The first one costs none."""


class WorkerPool:
    """A fixed number of workers, each of which is replaced if it fails.

    Args:
        workers: the number of workers that serve requests at the same time.
        scoring_timeout: seconds that scoring one answer may take.
        generation_timeout: seconds that making one problem may take.
        max_answer_bytes: UTF-8 size above which an answer is not scored and gets 0.
        settings: for each worker process.
        require_wall: refuse to start unless the workers have every layer of their sandbox that this
            machine could have.

    Attributes:
        restarts: how many workers were replaced.
        malformed: how many of them wrote something that is no reply to what they were asked.
    """

    def __init__(
        self,
        *,
        workers: int = 2,
        scoring_timeout: float = 5.0,
        generation_timeout: float = 10.0,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        settings: WorkerSettings | None = None,
        require_wall: bool = False,
    ) -> None:
        self._size = workers
        self._task_modules = settings.task_modules if settings is not None else ()
        self._scoring_timeout = scoring_timeout
        self._generation_timeout = generation_timeout
        self._max_answer_bytes = max_answer_bytes
        self._workers = WorkerSupply(settings or WorkerSettings(), require_wall=require_wall)
        self._jobs = JobQueue(self._workers.live)
        self._made = MadeProblems()
        self._slots: list[asyncio.Task[None]] = []
        self._coverage = Coverage()
        self._deaths_in_a_row = 0
        self._broken: PoolBroken | None = None
        self._handshake: Mapping[str, Any] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self.restarts = 0
        self.malformed = 0

    async def __aenter__(self) -> WorkerPool:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Start all workers and wait for the first one.

        Raises:
            PoolBroken: the first worker could not be started; the message gives the reason.
            BadUsage: a user's own tasks can't be loaded.
        """
        self._loop = asyncio.get_running_loop()
        try:
            first = await self._workers.take()
        except wall.WallIncomplete as error:
            await self.close()
            raise PoolBroken(str(error)) from None
        except TasksRefused as refusal:
            await self.close()
            log.debug("%s", refusal.traceback)
            raise BadUsage(str(refusal)) from None
        except (WorkerDied, WorkerTimeout) as error:
            await self.close()
            raise PoolBroken(_not_started(error, self._task_modules)) from None
        self._handshake = first.handshake
        wall.say(first.handshake)
        self._coverage = Coverage.of(first.handshake)
        workers = [first, *[None] * (self._size - 1)]
        self._slots = [asyncio.create_task(self._run_slot(worker)) for worker in workers]
        # The loop keeps this pool, so that a process forked from this one does not destroy slots.
        self._kept = self._loop.call_later(FOREVER, self._jobs.wake)

    def prepare(self, tasks: Iterable[str]) -> None:
        """Prepare tasks in the background: workers then make their first problem without delay.

        A user's own tasks, and tasks of another source than ours, are left out.
        """
        self._workers.prepare(
            task
            for task in tasks
            if task not in {COMPOSITE, *self.own_tasks} and self._coverage.state(task) == "covered"
        )

    async def close(self) -> None:
        """Kill all workers and fail all waiting calls; idempotent.

        From another event loop, the workers are killed and nothing is waited for.
        """
        self._broken = self._broken or _closed()
        if self._loop is not asyncio.get_running_loop():
            self._workers.kill_at_once()
            return
        if self._slots:
            self._kept.cancel()
        slots, self._slots = self._slots, []
        for slot in slots:
            slot.cancel()
        await asyncio.gather(*slots, return_exceptions=True)
        await self._workers.close()
        self._jobs.fail_all(self._broken)

    @property
    def task_categories(self) -> Mapping[str, str] | None:
        """Task -> category for all tasks; None if the library's registry could not be read."""
        tasks: Mapping[str, str] | None = self._handshake.get("tasks")
        return tasks

    @property
    def fixed_tasks(self) -> frozenset[str]:
        """The tasks that have no levels."""
        return frozenset(self._handshake.get("fixed", ()))

    @property
    def own_tasks(self) -> Mapping[str, str]:
        """A user's own tasks: name -> what it asks for, or an empty text."""
        own: Mapping[str, str] = self._handshake.get("own") or {}
        return own

    @property
    def coverage(self) -> Coverage:
        """The tasks to which our corrections apply."""
        return self._coverage

    @property
    def version(self) -> str:
        """The release of reasoning-gym in the workers."""
        return str(self._handshake.get("version"))

    @property
    def live_workers(self) -> frozenset[WorkerProcess]:
        """All started workers, for tools that look at their memory."""
        return frozenset(self._workers.live)

    async def make(
        self,
        task: str,
        seed: int,
        *,
        level: float | None = None,
        config: Mapping[str, Any] | None = None,
        select: bool = False,
        source: str | None = None,
    ) -> Problem:
        """Make one problem; ``make(**problem.recipe)`` makes one again.

        At a level, or with `select`, a strict worker draws seeds derived from `seed` until the
        problem fits (worker/selection.py); it is held out if `seed` is an evaluation seed.
        Otherwise the library makes the problem of `seed`.

        Args:
            level: difficulty in [0, 1], which sets parameters of the task; None for its defaults.
                With `config` and without `select`, it is only noted, as in a recipe.
            config: keyword parameters for reasoning-gym; with `select`, they override those of
                the level.
            select: draw seeds without a level, too. The seed of the problem is the drawn one.
            source: that of the task in a recipe; None if the recipe has none.

        Raises:
            BadUsage: the task has another source now.
            MakeFailed: the generator failed or took too long.
        """
        self._coverage.require(task, source)
        if level is not None:
            level = float(level)  # 0 and 0.0 would give a column of a dump two types
        draw = select or (level is not None and config is None)
        request = {
            "op": "make",
            "task": task,
            "seed": seed,
            "level": level if draw else None,
            "config": dict(config or {}),
            "select": draw,
        }
        reply = await self._submit(Job(request))
        return Problem(
            task,
            reply["seed"] if level is None else seed,
            level,
            reply["config"],
            reply["question"],
            reply["answer"],
            winnable=reply["winnable"],
            clarification=reply["clarification"],
            drawn_seed=reply["seed"],
            family=reply["family"],
            held_out=reply["held_out"],
            source=self._coverage.source(task),
            covered=self._coverage.state(task) == "covered",
        )

    async def solve(self, problem: Problem) -> str | None:
        """Return an answer that is known to be right, or None if none is known."""
        job = Job({"op": "solve", **problem.made_from}, replies.solution)
        answer: str | None = await self._submit(job)
        return answer

    async def attempt(self, task: str, level: float | None) -> str | None:
        """Return what is wrong with a task at a level, in words; None if nothing is."""
        job = Job({"op": "attempt", "task": task, "level": level}, replies.fault, makes=3)
        found: str | None = await self._submit(job)
        return found

    async def inspect(self, problem: Problem, answers: Sequence[str] = ()) -> Inspection:
        """Return what the record of a task says of a problem.

        Args:
            answers: answers that differ from the reference answer and may be right all the same.
        """
        request = {"op": "inspect", **problem.made_from, "answers": list(answers)}
        reply = await self._submit(Job(request, replies.inspection))
        return Inspection(**reply)

    async def write(
        self, problem: Problem, reference: str, *, wrong_by: str | None = None
    ) -> Mapping[str, str]:
        """Return a right answer in other forms by name, or wrong answers in the same forms.

        Args:
            reference: a right answer, as the library writes it.
            wrong_by: what decides at random what is changed in wrong answers; None: right ones.
        """
        request = {"op": "write", **problem.made_from, "reference": reference, "wrong_by": wrong_by}
        texts: Mapping[str, str] = await self._submit(Job(request, replies.texts))
        return texts

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        """Return one verdict for each answer, in order.

        Args:
            answers: None stands for a completion without an answer.
        """
        maker, seconds = self._made.find(problem.made_from)
        job = ScoreJob(
            {"op": "score", **problem.made_from},
            answers=[answer or "" for answer in answers],
            maker=maker,
            needs_maker=seconds > CHEAP_TO_REMAKE,
        )
        for index, answer in enumerate(answers):
            verdict = verdict_without_scoring(answer, max_bytes=self._max_answer_bytes)
            if verdict is not None:
                job.verdicts[index] = verdict
            else:
                job.pending.append(index)
        if job.pending:
            await self._submit(job)
        return job.in_order()

    async def _submit(self, job: Job) -> Any:
        if self._broken is not None:
            raise self._broken
        if self._loop is not asyncio.get_running_loop():
            raise _not_here(started=self._loop is not None)
        self._jobs.put(job)
        return await job.future

    # A slot is a task that owns one worker at a time and gives it one job at a time.

    async def _run_slot(self, first: WorkerProcess | None) -> None:
        worker = first
        try:
            while self._broken is None:
                worker = worker or await self._take_worker()
                try:
                    self.restarts += await self._serve_jobs(worker)
                finally:
                    self._made.forget(worker)
                    await self._workers.retire(worker)
                    self._jobs.wake()
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
        self._broken = self._broken or error
        self._jobs.fail_all(self._broken)
        return self._broken

    async def _serve_jobs(self, worker: WorkerProcess) -> bool:
        """Give a worker one job after the other; return whether it failed, or another is better."""
        while self._broken is None:
            job = await self._jobs.next_for(worker)
            if self._workers.is_outdated(worker):
                self._jobs.put_back(job)
                return False
            try:
                worker.require_usable()
                if not await self._serve(worker, job):
                    return True
            except WorkerDied as error:  # before it had the job
                self._jobs.put_back(job)
                self._count_death(error, worker)
                return True
            except (PoolBroken, asyncio.CancelledError):
                job.fail(self._broken or _closed())
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
            if job.future.cancelled() and self._broken is None:
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
                self._jobs.put_back(job)
            self._count_death(error, worker)
            return False
        self._deaths_in_a_row = 0
        if job.request["op"] == "make":
            seconds = asyncio.get_running_loop().time() - started
            made = {"config": reply["config"], "seed": reply["seed"]}
            self._made.add(job.request | made, worker, seconds)
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
            self._jobs.put_back(job)
        else:
            job.finish(True)


def _not_started(error: Exception, modules: Sequence[TaskModule]) -> str:
    if modules:
        names = ", ".join(module.word for module in modules)
        return f"No worker could be started with {names} ({error}): does it end Python, or hang?"
    return (
        f"No worker could be started ({error}). Run `python -m rgenv.worker '{{}}'` to see what is "
        "wrong."
    )


def _changed(modules: Sequence[TaskModule]) -> PoolBroken:
    names = ", ".join(module.word for module in modules) or "reasoning-gym"
    return PoolBroken(f"{names} changed while this run used it: start the run again.")


def _closed() -> PoolBroken:
    return PoolBroken("The worker pool is closed.")


def _not_here(*, started: bool) -> PoolBroken:
    if not started:
        return PoolBroken("The worker pool is not started: `await pool.start()` first.")
    return PoolBroken(
        "The worker pool belongs to the event loop that started it: call it there, or let "
        "rgenv.runtime.background_loop.BackgroundLoop host it for all event loops."
    )


def _too_many_deaths(count: int, reason: str) -> PoolBroken:
    return PoolBroken(
        f"{count} workers died in a row without a single reply (last: {reason}). Check the free "
        "memory of this machine and the installation of reasoning-gym."
    )


def _cancel_after_grace(future: asyncio.Future[Any], work: asyncio.Task[bool]) -> None:
    """If the caller cancelled its call, cancel the work after CANCEL_GRACE."""
    if future.cancelled():
        asyncio.get_running_loop().call_later(CANCEL_GRACE, work.cancel)
