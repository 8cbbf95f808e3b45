"""Jobs: requests to a worker, what their replies mean, and the rule by which they are done."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from rgenv.errors import MakeFailed
from rgenv.pool.process import Worker, WorkerDied, WorkerRefused, WorkerTimeout, printable
from rgenv.task_names import LIBRARY
from rgenv.types import Kind, Verdict
from rgenv.worker.protocol import Ready, Reply, Scored

CHEAP_TO_REMAKE = 0.1
"""Seconds. A problem that took longer to make is scored by the worker that made it, even if the
job has to wait for that worker."""

MAX_MADE_PROBLEMS = 4096

NOT_MADE = "the problem can't be made"
"""The beginning of a verdict's detail if the worker could not make the problem again."""


def _new_future() -> asyncio.Future[Any]:
    return asyncio.get_running_loop().create_future()


@dataclass(eq=False)
class Job:
    """A request that has one reply.

    Attributes:
        request: what is sent to the worker.
        kind: of the reply.
        seconds: of processor time for the reply, or the first one.
        future: gets the result or the exception for the caller.
        worker: the one that did it, and in how many seconds (`took`).
        crashes: how many workers died of this job, or of the current answer of a ScoreJob.
    """

    request: Mapping[str, Any]
    seconds: float
    kind: type[Reply] = Ready
    future: asyncio.Future[Any] = field(default_factory=_new_future)
    worker: Worker | None = None
    took: float = 0.0
    crashes: int = 0

    async def run(self, worker: Worker) -> None:
        """Do the job, or what is left of it; raises WorkerDied and WorkerTimeout."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        worker.send({**self.request, "seconds": (self.seconds, 0)})
        try:
            reply = await worker.receive(self.kind, self.seconds)
        except WorkerRefused as refusal:
            self.fail(MakeFailed("error", str(refusal)))
        else:
            self.worker, self.took = worker, loop.time() - began
            self.finish(reply)

    def lose(self, error: WorkerDied | WorkerTimeout) -> None:
        """Note that a worker failed at this job: it is done once more, unless time ran out."""
        if isinstance(error, WorkerTimeout):
            self.fail(MakeFailed("timeout", str(error)))
            return
        self.crashes += 1
        if self.crashes > 1:
            self.fail(MakeFailed("crashed", str(error)))

    def finish(self, result: object) -> None:
        """Give the caller the result, unless the job is done or cancelled."""
        if not self.future.done():
            self.future.set_result(result)

    def fail(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)


@dataclass(eq=False)
class ScoreJob(Job):
    """A request to score answers, one after the other.

    Attributes:
        scoring_seconds: of processor time for each answer.
        answers: all answers of the call; a missing one is an empty string.
        pending: indices of the answers that have no verdict yet, in order.
        verdicts: index of the answer -> its verdict.
        maker: the worker that made the problem and still has it; None if unknown.
        needs_maker: whether only the maker may score while it lives.
        is_made: whether the last worker has made the problem.
        unmade: how many workers in a row could not make the problem again.
    """

    scoring_seconds: float = 0.0
    answers: Sequence[str] = ()
    pending: list[int] = field(default_factory=list)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    maker: Worker | None = None
    needs_maker: bool = False
    is_made: bool = False
    unmade: int = 0

    async def run(self, worker: Worker) -> None:
        answers = [self.answers[index] for index in self.pending]
        limits = self.seconds, self.scoring_seconds
        self.is_made = False
        worker.send({**self.request, "answers": answers, "seconds": limits})
        try:
            await worker.receive(Ready, self.seconds)
            self.is_made, self.unmade = True, 0
            while self.pending:
                self.record(verdict(await worker.receive(Scored, self.scoring_seconds)))
        except WorkerRefused as refusal:
            if self.is_made:
                self.record(Verdict(0.0, "error", detail=str(refusal)))
            else:
                self.record_all(Verdict(0.0, "error", detail=f"{NOT_MADE}: {refusal}"))
        self.finish_if_scored()

    def lose(self, error: WorkerDied | WorkerTimeout) -> None:
        """Have another worker go on, after a failed verdict on what two of them died of."""
        kind: Kind = "timeout" if isinstance(error, WorkerTimeout) else "crashed"
        failed = Verdict(0.0, kind, detail=str(error))
        if not self.is_made:
            self.unmade += 1
            if self.unmade > 1:
                self.record_all(failed)
        else:
            self.crashes += 1
            if kind == "timeout" or self.crashes > 1:
                self.record(failed)
        self.finish_if_scored()

    def record(self, verdict: Verdict) -> None:
        """Store the verdict on the current answer and go on to the next."""
        self.verdicts[self.pending.pop(0)] = verdict
        self.crashes = 0

    def record_all(self, verdict: Verdict) -> None:
        while self.pending:
            self.record(verdict)

    def finish_if_scored(self) -> None:
        if not self.pending:
            self.finish([self.verdicts[index] for index in range(len(self.answers))])


def verdict(reply: Scored) -> Verdict:
    """Return what a reply says of an answer: the better score of both forms."""
    if reply.rejected is not None:
        return Verdict(0.0, "rejected", detail=printable(reply.rejected))
    errors = (("raw", reply.raw_error), ("tagged", reply.tagged_error))
    detail = "; ".join(f"{form}: {printable(error)}" for form, error in errors if error is not None)
    kind: Kind = "error" if reply.raw is None else "scored"
    return Verdict(
        max(reply.raw or 0.0, reply.tagged or 0.0), kind, reply.raw, reply.tagged, detail
    )


class JobQueue:
    """Jobs that wait for a worker.

    Scoring comes before making. A worker first scores problems that it made.

    Args:
        live_workers: the workers that are alive, kept up to date by the owner.
    """

    def __init__(self, live_workers: Collection[Worker]) -> None:
        self._live_workers = live_workers
        self._scoring: deque[ScoreJob] = deque()
        self._making: deque[Job] = deque()
        self._changed = asyncio.Event()
        self._error: Exception | None = None

    def put(self, job: Job, *, first: bool = False) -> None:
        """Add a job at the end, or as the first, and wake idle workers."""
        queue: deque[Any] = self._scoring if isinstance(job, ScoreJob) else self._making
        if first:
            queue.appendleft(job)
        else:
            queue.append(job)
        self.wake()

    def wake(self) -> None:
        """Let idle workers look for a job; one that needed its maker may be free now."""
        if self._error is not None:
            self.fail_all(self._error)
        self._changed.set()

    async def next_for(self, worker: Worker) -> Job:
        """Wait for the next job of a worker and remove it from the queue."""
        while (job := self._pick(worker)) is None:
            self._changed.clear()
            await self._changed.wait()
        return job

    def fail_all(self, error: Exception) -> None:
        """Remove all jobs, and any that come later, and give their callers `error`."""
        self._error = error
        for job in (*self._scoring, *self._making):
            job.fail(error)
        self._scoring.clear()
        self._making.clear()

    def _pick(self, worker: Worker) -> Job | None:
        self._scoring = deque(job for job in self._scoring if not job.future.done())
        self._making = deque(job for job in self._making if not job.future.done())
        own = (job for job in self._scoring if job.maker is worker)
        free = (
            job
            for job in self._scoring
            if not (job.needs_maker and job.maker in self._live_workers)
        )
        if (scoring := next(chain(own, free), None)) is not None:
            self._scoring.remove(scoring)
            return scoring
        return self._making.popleft() if self._making else None


class MadeProblems:
    """Remembers which worker made which of the last problems, and how long that took."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, ...], tuple[Worker, float]] = {}

    def add(self, recipe: Mapping[str, Any], worker: Worker, seconds: float) -> None:
        self._made[_key(recipe)] = (worker, seconds)
        if len(self._made) > MAX_MADE_PROBLEMS:
            self._made.pop(next(iter(self._made)))

    def find(self, recipe: Mapping[str, Any]) -> tuple[Worker | None, float]:
        """Return the worker that made a problem and the seconds it took; (None, 0) if unknown."""
        return self._made.get(_key(recipe), (None, 0.0))


def _key(recipe: Mapping[str, Any]) -> tuple[str, ...]:
    parts = repr(recipe["seed"]), repr(recipe["config"])
    return recipe["task"], *parts, recipe.get("problems") or LIBRARY
