"""Jobs: requests that wait for a worker, and the rule by which a worker gets the next one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from rgenv.pool import replies
from rgenv.pool.process import WorkerProcess
from rgenv.pool.replies import Body
from rgenv.types import Verdict

CHEAP_TO_REMAKE = 0.1
"""Seconds. A problem that took longer to make is scored by the worker that made it, even if the
job has to wait for that worker."""

MAX_MADE_PROBLEMS = 4096


def _new_future() -> asyncio.Future[Any]:
    return asyncio.get_running_loop().create_future()


@dataclass(eq=False)
class Job:
    """One request to a worker.

    Attributes:
        request: what is sent to the worker.
        read: reads the reply.
        future: gets the result or the exception for the caller.
        makes: the most problems that the worker makes for it.
        crashes: how many workers died of this job, or of the current answer of a ScoreJob.
    """

    request: dict[str, Any]
    read: Callable[[Body], Any] = replies.problem
    makes: int = 1
    future: asyncio.Future[Any] = field(default_factory=_new_future)
    crashes: int = 0

    def finish(self, result: Any) -> None:
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
        answers: all answers of the call; a missing one is an empty string.
        pending: indices of the answers that have no verdict yet, in order.
        verdicts: index of the answer -> its verdict.
        maker: the worker that made the problem and still has it; None if unknown.
        needs_maker: whether only the maker may score while it lives.
        unmade: how many workers in a row could not make the problem again.
    """

    answers: Sequence[str] = ()
    pending: list[int] = field(default_factory=list)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    maker: WorkerProcess | None = None
    needs_maker: bool = False
    unmade: int = 0

    def record(self, verdict: Verdict) -> None:
        """Store the verdict on the current answer and go on to the next."""
        self.verdicts[self.pending.pop(0)] = verdict
        self.crashes = 0

    def record_all(self, verdict: Verdict) -> None:
        while self.pending:
            self.record(verdict)

    def in_order(self) -> list[Verdict]:
        """Return the verdicts in the order of the answers."""
        return [self.verdicts[index] for index in range(len(self.answers))]


class JobQueue:
    """Jobs that wait for a worker.

    Scoring comes before making. A worker first scores problems that it made.

    Args:
        live_workers: the workers that are alive, kept up to date by the owner.
    """

    def __init__(self, live_workers: Collection[WorkerProcess]) -> None:
        self._live_workers = live_workers
        self._scoring: deque[ScoreJob] = deque()
        self._making: deque[Job] = deque()
        self._changed = asyncio.Event()
        self._error: Exception | None = None

    def put(self, job: Job) -> None:
        """Add a job at the end and wake idle workers."""
        if isinstance(job, ScoreJob):
            self._scoring.append(job)
        else:
            self._making.append(job)
        self.wake()

    def put_back(self, job: Job) -> None:
        """Put a job whose worker failed at the front; drop it if its caller is gone."""
        if job.future.done():
            return
        if isinstance(job, ScoreJob):
            self._scoring.appendleft(job)
        else:
            self._making.appendleft(job)
        self.wake()

    def wake(self) -> None:
        """Let idle workers look for a job; one that needed its maker may be free now."""
        if self._error is not None:
            self.fail_all(self._error)
        self._changed.set()

    async def next_for(self, worker: WorkerProcess) -> Job:
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

    def _pick(self, worker: WorkerProcess) -> Job | None:
        self._drop_cancelled()
        making = self._making
        return self._pick_scoring(worker) or (making.popleft() if making else None)

    def _drop_cancelled(self) -> None:
        self._scoring = deque(job for job in self._scoring if not job.future.done())
        self._making = deque(job for job in self._making if not job.future.done())

    def _pick_scoring(self, worker: WorkerProcess) -> ScoreJob | None:
        own = (job for job in self._scoring if job.maker is worker)
        free = (
            job
            for job in self._scoring
            if not (job.needs_maker and job.maker in self._live_workers)
        )
        job = next(chain(own, free), None)
        if job is not None:
            self._scoring.remove(job)
        return job


class MadeProblems:
    """Remembers which worker made which problem, and how long that took."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, ...], tuple[WorkerProcess, float]] = {}

    def add(self, recipe: Mapping[str, Any], worker: WorkerProcess, seconds: float) -> None:
        """Remember a problem; forget the oldest one if there are too many."""
        self._made[_key(recipe)] = (worker, seconds)
        if len(self._made) > MAX_MADE_PROBLEMS:
            self._made.pop(next(iter(self._made)))

    def find(self, recipe: Mapping[str, Any]) -> tuple[WorkerProcess | None, float]:
        """Return the worker that made a problem and the seconds it took; (None, 0) if unknown."""
        return self._made.get(_key(recipe), (None, 0.0))

    def forget(self, worker: WorkerProcess) -> None:
        self._made = {key: made for key, made in self._made.items() if made[0] is not worker}


def _key(recipe: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(repr(recipe.get(name)) for name in ("task", "seed", "config", "problems"))
