"""WorkerPool: makes problems and scores answers in child processes, and heals itself.

::

    async with WorkerPool(workers=2) as pool:
        problem = await pool.make("gcd", seed=7)
        verdicts = await pool.score(problem, ["14", "9**9**9", None])

Answers of one call are scored one at a time and reported as they come, so an answer that hangs or
kills its worker costs that answer: the worker is replaced and the rest goes on. Nothing that a
worker sends is trusted beyond its JSON.

Invariants: every call ends (by a result, `MakeFailed`, or `PoolBroken`); verdicts come in the order
of the answers; a verdict's score is a finite float in [0, 1].
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from rgenv.errors import MakeFailed, PoolBroken
from rgenv.pool.process import WorkerDied, WorkerProcess, WorkerTimeout
from rgenv.types import Kind, Problem, Verdict
from rgenv.worker.protocol import WorkerSettings

log = logging.getLogger(__name__)


MAX_ANSWER_BYTES = 32 * 1024
CHEAP_TO_REMAKE = 0.1
"""Seconds; a problem that took longer to make is scored where it was made, even if that waits."""

START_TIMEOUT = 60.0
SPARE_AFTER = 2.0
"""Seconds in which the first spares leave the processors to what is waited for."""

CANCEL_GRACE = 0.2
MAX_DEATHS_IN_A_ROW = 8


@dataclass(eq=False)
class _Job:
    """One request on its way, and the future somebody waits on."""

    request: dict[str, Any]
    future: asyncio.Future[Any]
    crashes: int = 0
    home: WorkerProcess | None = None
    sticky: bool = False
    todo: list[int] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    verdicts: dict[int, Verdict] = field(default_factory=dict)


class WorkerPool:
    """A fixed number of busy workers and some warm spares behind two queues.

    Args:
        workers: how many work at the same time.
        spares: how many more wait, started, to replace one that had to be killed.
        scoring_timeout: seconds one answer may take.
        generation_timeout: seconds one problem may take to make.
        max_answer_bytes: UTF-8 size past which an answer scores 0 unseen.
        settings: what each worker process is told.
    """

    def __init__(
        self,
        *,
        workers: int = 2,
        spares: int = 1,
        scoring_timeout: float = 5.0,
        generation_timeout: float = 10.0,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        settings: WorkerSettings | None = None,
    ) -> None:
        self._size = workers
        self._num_spares = spares
        self._scoring_timeout = scoring_timeout
        self._generation_timeout = generation_timeout
        self._max_answer_bytes = max_answer_bytes
        self._settings = settings or WorkerSettings()
        self._to_score: deque[_Job] = deque()
        self._to_make: deque[_Job] = deque()
        self._changed = asyncio.Condition()
        self._slots: list[asyncio.Task[None]] = []
        self._spares: deque[asyncio.Task[WorkerProcess]] = deque()
        self._live: set[WorkerProcess] = set()
        self._homes: dict[tuple[str, int, str], tuple[WorkerProcess, float]] = {}
        self._making: dict[WorkerProcess, str] = {}
        self._deaths_in_a_row = 0
        self._broken: PoolBroken | None = None
        self.restarts = 0
        self.hello: dict[str, Any] = {}

    async def __aenter__(self) -> WorkerPool:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Start the workers and wait until the first one is ready; the others follow.

        Raises:
            PoolBroken: no worker could be started; the message says why.
        """
        self._refill(self._size)
        try:
            first = await asyncio.shield(self._spares[0])
        except (WorkerDied, WorkerTimeout) as error:
            await self.close()
            raise PoolBroken(
                f"No worker could be started ({error}). Run `python -m rgenv.worker '{{}}'` "
                "to see what is wrong."
            ) from None
        self.hello = first.hello
        self._tell_layers()
        self._slots = [asyncio.create_task(self._run_slot()) for _ in range(self._size)]
        asyncio.get_running_loop().call_later(SPARE_AFTER, self._start_spares)

    def _tell_layers(self) -> None:
        layers = self.hello.get("layers", [])
        if "seccomp" in layers:
            log.info("Workers are held by %s.", ", ".join(layers))
        else:
            log.warning(
                "Workers have no system-call filter, only %s: install pyseccomp (Linux).",
                ", ".join(layers),
            )

    @property
    def task_categories(self) -> Mapping[str, str] | None:
        """Name -> category of the registered tasks; None when the registry could not be read."""
        return self.hello.get("tasks")

    @property
    def version(self) -> str:
        """The release of reasoning-gym that the workers run."""
        return str(self.hello.get("version"))

    @property
    def live_workers(self) -> frozenset[WorkerProcess]:
        """Every started worker, spares included; for tools that look at memory."""
        return frozenset(self._live)

    async def make(
        self,
        task: str,
        seed: int,
        *,
        level: float | None = None,
        config: Mapping[str, Any] | None = None,
    ) -> Problem:
        """Make one problem.

        Args:
            level: difficulty in [0, 1], turned into parameters by levels.py; None for defaults.
            config: keyword parameters for reasoning-gym; they win over those of the level.

        Raises:
            MakeFailed: the generator failed or overran.
            PoolBroken: there is no pool any more.
        """
        if level is not None:
            level = float(level)  # in files, a column has one type
        request = {
            "op": "make",
            "task": task,
            "seed": seed,
            "level": level,
            "config": dict(config or {}),
        }
        reply = await self._submit(self._to_make, _Job(request, _new_future()))
        return Problem(
            task,
            seed,
            level,
            reply["config"],
            reply["question"],
            reply["answer"],
            winnable=reply["winnable"],
        )

    async def solve(self, problem: Problem) -> str | None:
        """An answer that is known to be right, None where none is known; see oracles.py.

        Raises:
            MakeFailed: the problem could not be made again, or looking for an answer overran.
            PoolBroken: there is no pool any more.
        """
        job = _Job({"op": "solve", **problem.recipe}, _new_future())
        reply = await self._submit(self._to_make, job)
        return None if reply["answer"] is None else str(reply["answer"])

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        """One verdict for each answer, in order; None stands for a completion without one.

        Raises:
            PoolBroken: there is no pool any more.
        """
        job = _Job({"op": "score", **problem.recipe}, _new_future())
        job.home, seconds = self._homes.get(_recipe_key(problem), (None, 0.0))
        job.sticky = seconds > CHEAP_TO_REMAKE
        for index, answer in enumerate(answers):
            early = self._without_asking(answer)
            if early is not None:
                job.verdicts[index] = early
            else:
                job.todo.append(index)
        job.answers = [answer or "" for answer in answers]
        if job.todo:
            await self._submit(self._to_score, job)
        return [job.verdicts[index] for index in range(len(answers))]

    def _without_asking(self, answer: str | None) -> Verdict | None:
        if answer is None:
            return Verdict(0.0, "no_answer")
        if not answer:
            return Verdict(0.0, "no_answer", detail="empty answer")
        size = len(answer.encode("utf-8", "surrogatepass"))
        if size > self._max_answer_bytes:
            return Verdict(0.0, "too_large", detail=f"{size} bytes")
        return None

    async def _submit(self, queue: deque[_Job], job: _Job) -> Any:
        if self._broken is not None:
            raise self._broken
        queue.append(job)
        async with self._changed:
            self._changed.notify_all()
        return await job.future

    async def close(self) -> None:
        """End all workers and fail what is still waiting; idempotent, and quick: it kills."""
        self._broken = self._broken or PoolBroken("The scoring pool is closed.")
        slots, self._slots = self._slots, []
        for slot in slots:
            slot.cancel()
        await asyncio.gather(*slots, return_exceptions=True)
        spares, self._spares = list(self._spares), deque()
        for spare in spares:
            spare.cancel()
        await asyncio.gather(*spares, return_exceptions=True)
        await asyncio.gather(*(worker.kill() for worker in self._live))
        self._live.clear()
        self._fail_all(self._broken)

    def _fail_all(self, error: PoolBroken) -> None:
        for queue in (self._to_score, self._to_make):
            while queue:
                _settle(queue.popleft(), error)

    # Workers: a slot is a task that owns one worker at a time.

    def _refill(self, wanted: int) -> None:
        while len(self._spares) < wanted:
            self._spares.append(asyncio.create_task(self._start_worker()))

    def _start_spares(self) -> None:
        if self._broken is None:
            self._refill(self._num_spares)

    async def _start_worker(self) -> WorkerProcess:
        worker = await WorkerProcess.start(self._settings, timeout=START_TIMEOUT)
        self._live.add(worker)
        return worker

    async def _retire(self, worker: WorkerProcess) -> None:
        self._live.discard(worker)
        self._homes = {key: home for key, home in self._homes.items() if home[0] is not worker}
        await worker.kill()

    async def _take_worker(self) -> WorkerProcess:
        """A started worker, after a pause when the last ones died without doing anything."""
        while True:
            if self._deaths_in_a_row:
                await asyncio.sleep(min(5.0, 0.05 * 2**self._deaths_in_a_row))
            self._refill(1)
            try:
                return await self._spares.popleft()
            except (WorkerDied, WorkerTimeout) as error:
                self._count_death(str(error))

    def _count_death(self, reason: str) -> None:
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row >= MAX_DEATHS_IN_A_ROW:
            self._broken = PoolBroken(
                f"{self._deaths_in_a_row} workers died in a row without answering once "
                f"(last: {reason}). Look at --env.worker_memory_mb and at the reasoning-gym "
                "installation."
            )
            self._fail_all(self._broken)
            raise self._broken

    async def _run_slot(self) -> None:
        with contextlib.suppress(PoolBroken):
            while self._broken is None:
                worker = await self._take_worker()
                if self.restarts:
                    self._start_spares()
                try:
                    await self._work(worker)
                finally:
                    await self._retire(worker)
                self.restarts += 1

    async def _work(self, worker: WorkerProcess) -> None:
        """Serve jobs until this worker has to be replaced."""
        while self._broken is None:
            job = await self._next_job(worker)
            try:
                if not await self._serve(worker, job):
                    return
            except BaseException:
                _settle(job, self._broken or PoolBroken("The scoring pool is closed."))
                raise
            finally:
                self._making.pop(worker, None)

    async def _next_job(self, worker: WorkerProcess) -> _Job:
        async with self._changed:
            while (job := self._pick(worker)) is None:
                await self._changed.wait()
            return job

    def _pick(self, worker: WorkerProcess) -> _Job | None:
        """Scoring first, this worker's own problems before others'; cancelled jobs are dropped."""
        for queue in (self._to_score, self._to_make):
            for cancelled in [job for job in queue if job.future.done()]:
                queue.remove(cancelled)
        mine = (job for job in self._to_score if job.home is worker)
        free = (job for job in self._to_score if not (job.sticky and job.home in self._live))
        job = next(chain(mine, free), None)
        if job is not None:
            self._to_score.remove(job)
            return job
        return self._pick_making(worker)

    def _pick_making(self, worker: WorkerProcess) -> _Job | None:
        """What a task prepares is prepared once: better a task that no other worker is at."""
        busy = {task for other, task in self._making.items() if other is not worker}
        elsewhere = (job for job in self._to_make if job.request["task"] not in busy)
        job = next(chain(elsewhere, self._to_make), None)
        if job is not None:
            self._to_make.remove(job)
            self._making[worker] = job.request["task"]
        return job

    # One job on one worker. False means: this worker is done for.

    async def _serve(self, worker: WorkerProcess, job: _Job) -> bool:
        work = asyncio.create_task(
            self._score(worker, job) if job.request["op"] == "score" else self._make(worker, job)
        )
        job.future.add_done_callback(lambda future: _give_up_soon(future, work))
        try:
            return await work
        except asyncio.CancelledError:
            work.cancel()
            if job.future.cancelled() and self._broken is None:
                return False
            raise

    async def _make(self, worker: WorkerProcess, job: _Job) -> bool:
        began = asyncio.get_running_loop().time()
        await worker.send(job.request)
        try:
            reply = await worker.receive(timeout=self._generation_timeout)
        except WorkerTimeout as error:
            _settle(job, MakeFailed("timeout", str(error)))
            return False
        except WorkerDied as error:
            self._retry_or(job, self._to_make, MakeFailed("crashed", str(error)))
            self._count_death(str(error))
            return False
        self._deaths_in_a_row = 0
        if "question" in reply:
            self._remember_home(job.request | {"config": reply["config"]}, worker, began)
        if "answer" in reply:
            _settle(job, reply)
        else:
            _settle(job, MakeFailed("error", str(reply.get("failed"))))
        return True

    def _remember_home(self, recipe: dict[str, Any], worker: WorkerProcess, began: float) -> None:
        seconds = asyncio.get_running_loop().time() - began
        key = (recipe["task"], recipe["seed"], repr(recipe["config"]))
        self._homes[key] = (worker, seconds)
        if len(self._homes) > 4096:
            self._homes.pop(next(iter(self._homes)))

    def _retry_or(self, job: _Job, queue: deque[_Job], failure: Exception) -> None:
        job.crashes += 1
        if job.crashes > 1:
            _settle(job, failure)
        elif not job.future.done():
            queue.appendleft(job)

    async def _score(self, worker: WorkerProcess, job: _Job) -> bool:
        answers = [job.answers[index] for index in job.todo]
        await worker.send({**job.request, "answers": answers})
        try:
            reply = await worker.receive(timeout=self._generation_timeout)
            self._deaths_in_a_row = 0
            if "made" not in reply:
                return self._fail_rest(job, "error", str(reply.get("failed")))
            while job.todo:
                reply = await worker.receive(timeout=self._scoring_timeout)
                job.verdicts[job.todo[0]] = _verdict(reply)
                del job.todo[0]
                job.crashes = 0
        except WorkerTimeout as error:
            return self._replace_after(job, "timeout", str(error))
        except WorkerDied as error:
            job.crashes += 1
            alive = self._replace_after(job, "crashed", str(error), skip=job.crashes > 1)
            self._count_death(str(error))
            return alive
        _settle(job, True)
        return True

    def _replace_after(self, job: _Job, kind: Kind, detail: str, *, skip: bool = True) -> bool:
        """The answer in progress gets its verdict (or one more try); the others a new worker."""
        if skip and job.todo:
            job.verdicts[job.todo.pop(0)] = Verdict(0.0, kind, detail=detail)
            job.crashes = 0
        if not job.todo:
            _settle(job, True)
        elif not job.future.done():
            self._to_score.appendleft(job)
        return False

    def _fail_rest(self, job: _Job, kind: Kind, detail: str) -> bool:
        """The problem could not be made again: no answer can be scored, the worker is well."""
        for index in job.todo:
            job.verdicts[index] = Verdict(0.0, kind, detail=detail)
        _settle(job, True)
        return True


def _new_future() -> asyncio.Future[Any]:
    return asyncio.get_running_loop().create_future()


def _recipe_key(problem: Problem) -> tuple[str, int, str]:
    return problem.task, problem.seed, repr(dict(problem.config))


def _settle(job: _Job, outcome: Any) -> None:
    if job.future.done():
        return
    if isinstance(outcome, Exception):
        job.future.set_exception(outcome)
    else:
        job.future.set_result(outcome)


def _give_up_soon(future: asyncio.Future[Any], work: asyncio.Task[bool]) -> None:
    """If nobody waits any more, let the worker finish if it does so at once, else recycle it."""
    if future.cancelled():
        asyncio.get_running_loop().call_later(CANCEL_GRACE, work.cancel)


def _verdict(reply: Mapping[str, Any]) -> Verdict:
    """A worker's reply as a verdict; whatever it says, the score is a finite float in [0, 1]."""
    if "rejected" in reply:
        return Verdict(0.0, "rejected", detail=str(reply["rejected"]))
    raw, tagged = _score_in(reply.get("raw")), _score_in(reply.get("tagged"))
    detail = "; ".join(
        f"{form}: {reply[f'{form}_error']}"
        for form in ("raw", "tagged")
        if f"{form}_error" in reply
    )
    kind: Kind = "scored" if raw is not None else "error"
    return Verdict(max(raw or 0.0, tagged or 0.0), kind, raw, tagged, detail)


def _score_in(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return min(1.0, max(0.0, float(value)))
