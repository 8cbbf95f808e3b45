"""Jobs: requests to a worker, what their replies mean, and the rule by which they are done."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from rgenv.errors import MakeFailed
from rgenv.pool.process import Worker, WorkerDied, WorkerRefused, WorkerTimeout
from rgenv.text import one_line
from rgenv.types import Kind, Verdict
from rgenv.worker.protocol import Ready, Reply, Scored

CHEAP_TO_REMAKE = 0.1
"""Seconds. A problem that took longer to make is scored by the worker that made it, even if the
job has to wait for that worker."""

NOT_MADE = "the problem can't be made"
"""The beginning of a verdict's detail if the worker could not make the problem again."""


@dataclass(eq=False)
class Job:
    """A request that has one reply.

    Attributes:
        seconds: of processor time for the reply, or the first one.
        future: gets the result or the exception for the caller.
        worker: the one that did it, and in how many seconds (`took`).
        crashes: how many workers died of this job, or of the current answer of a ScoreJob.
        is_made: whether the last worker has made the problem whose answers it scores.
    """

    request: Mapping[str, Any]
    seconds: float
    kind: type[Reply] = Ready
    future: asyncio.Future[Any] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    worker: Worker | None = None
    took: float = 0.0
    crashes: int = 0
    is_made: bool = False

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
        self.crashes += 1
        if isinstance(error, WorkerTimeout):
            self.fail(MakeFailed("timeout", str(error)))
        elif self.crashes > 1:
            self.fail(MakeFailed("crashed", str(error)))

    def finish(self, result: object) -> None:
        """Give the caller the result, unless the job is done or cancelled."""
        if not self.future.done():
            self.future.set_result(result)

    def fail(self, error: BaseException) -> None:
        if not self.future.done():
            self.future.set_exception(error)

    def rank(self, worker: Worker) -> int | None:
        """Return how early a worker is to do this job; None if it is not to do it."""
        return 2


@dataclass(eq=False)
class ScoreJob(Job):
    """A request to score answers, one after the other.

    Attributes:
        scoring_seconds: of processor time for each answer.
        pending: indices of the answers that have no verdict yet, in order.
        verdicts: index of the answer -> its verdict.
        maker: the worker that made the problem, in `making_seconds`; None if unknown.
    """

    scoring_seconds: float = 0.0
    answers: Sequence[str] = ()
    pending: list[int] = field(default_factory=list)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    maker: Worker | None = None
    making_seconds: float = 0.0

    async def run(self, worker: Worker) -> None:
        answers = [self.answers[index] for index in self.pending]
        limits = self.seconds, self.scoring_seconds
        self.is_made = False
        worker.send({**self.request, "answers": answers, "seconds": limits})
        try:
            await worker.receive(Ready, self.seconds)
            self.is_made = True
            while self.pending:
                self.record(verdict(await worker.receive(Scored, self.scoring_seconds)))
        except WorkerRefused as refusal:
            detail = str(refusal) if self.is_made else f"{NOT_MADE}: {refusal}"
            self.record(Verdict(0.0, "error", detail=detail))
        self.finish_if_scored()

    def lose(self, error: WorkerDied | WorkerTimeout) -> None:
        """Have another worker go on, after a failed verdict on what two of them died of."""
        hung = isinstance(error, WorkerTimeout) and self.is_made  # else it isn't the answer's fault
        self.crashes += 1
        if hung or self.crashes > 1:
            kind: Kind = "timeout" if hung else "crashed"
            self.record(Verdict(0.0, kind, detail=str(error)))
        self.finish_if_scored()

    def record(self, verdict: Verdict) -> None:
        """Store a verdict on the current answer, or on all if the problem was not made."""
        for _ in range(1 if self.is_made else len(self.pending)):
            self.verdicts[self.pending.pop(0)] = verdict
        self.crashes = 0

    def finish_if_scored(self) -> None:
        if not self.pending:
            self.finish([self.verdicts[index] for index in range(len(self.answers))])

    def rank(self, worker: Worker) -> int | None:
        if self.maker is worker:
            return 0
        is_cheap = self.making_seconds <= CHEAP_TO_REMAKE
        return 1 if is_cheap or self.maker is None or self.maker.ended else None


def verdict(reply: Scored) -> Verdict:
    """Return what a reply says of an answer: the better score of both forms."""
    if reply.rejected is not None:
        return Verdict(0.0, "rejected", detail=one_line(reply.rejected))
    errors = (("raw", reply.raw_error), ("tagged", reply.tagged_error))
    detail = "; ".join(f"{form}: {one_line(error)}" for form, error in errors if error is not None)
    kind: Kind = "error" if reply.raw is None else "scored"
    return Verdict(
        max(reply.raw or 0.0, reply.tagged or 0.0), kind, reply.raw, reply.tagged, detail
    )


class JobQueue:
    """Jobs that wait for a worker, in the order of their rank and then of their arrival.

    Scoring comes before making. A worker first scores problems that it made.
    """

    def __init__(self) -> None:
        self._waiting: list[Job] = []
        self._changed = asyncio.Event()

    def put(self, job: Job, *, first: bool = False) -> None:
        """Add a job at the end, or as the first, and wake idle workers."""
        self._waiting.insert(0 if first else len(self._waiting), job)
        self.wake()

    def wake(self) -> None:
        """Let idle workers look for a job; one that needed its maker may be free now."""
        self._changed.set()

    async def next_for(self, worker: Worker) -> Job:
        """Wait for the next job of a worker and remove it from the queue."""
        while (job := self._pick(worker)) is None:
            self._changed.clear()
            await self._changed.wait()
        self._waiting.remove(job)
        return job

    def fail_all(self, error: Exception) -> None:
        """Remove all jobs, and give their callers `error`."""
        while self._waiting:
            self._waiting.pop().fail(error)

    def _pick(self, worker: Worker) -> Job | None:
        self._waiting = [job for job in self._waiting if not job.future.done()]
        ranks = ((job.rank(worker), job) for job in self._waiting)
        free = ((rank, job) for rank, job in ranks if rank is not None)
        return min(free, key=itemgetter(0), default=(0, None))[1]
