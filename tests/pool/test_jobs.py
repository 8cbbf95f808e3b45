"""rgenv/pool/jobs.py: jobs, and the rule by which a worker gets the next one."""

from typing import Any

import pytest

from rgenv.pool import jobs
from rgenv.pool.jobs import Job, JobQueue, MadeProblems, ScoreJob
from rgenv.types import Verdict

ONE: Any = "worker one"
TWO: Any = "worker two"


def make_job(task: str) -> Job:
    return Job({"op": "make", "task": task}, seconds=1.0)


def score_job(answers: int = 1, **attributes: Any) -> ScoreJob:
    return ScoreJob(
        {"op": "score", "task": "gcd"},
        seconds=1.0,
        answers=["?"] * answers,
        pending=list(range(answers)),
        **attributes,
    )


async def queue_of(*waiting: Job, live: tuple[Any, ...] = (ONE, TWO)) -> JobQueue:
    queue = JobQueue(set(live))
    for job in waiting:
        queue.put(job)
    return queue


async def test_scoring_comes_before_making() -> None:
    waiting = [make_job("gcd"), make_job("gcd"), score_job(), score_job()]
    queue = await queue_of(*waiting)
    served = [await queue.next_for(ONE) for _ in range(4)]
    assert served == [waiting[2], waiting[3], waiting[0], waiting[1]]


async def test_a_worker_first_scores_its_own_problems() -> None:
    older, own = score_job(maker=TWO), score_job(maker=ONE)
    queue = await queue_of(older, own)
    assert await queue.next_for(ONE) is own
    assert await queue.next_for(ONE) is older


async def test_a_problem_that_is_slow_to_make_waits_for_its_maker() -> None:
    slow, making = score_job(maker=TWO, needs_maker=True), make_job("gcd")
    queue = await queue_of(slow, making)
    assert await queue.next_for(ONE) is making
    assert await queue.next_for(TWO) is slow
    after_death = await queue_of(slow, live=(ONE,))
    assert await after_death.next_for(ONE) is slow


async def test_cancelled_jobs_are_dropped() -> None:
    cancelled, job = make_job("gcd"), make_job("gcd")
    queue = await queue_of(cancelled, job)
    cancelled.future.cancel()
    queue.put(cancelled, first=True)
    assert await queue.next_for(ONE) is job


async def test_a_job_that_is_put_back_is_next() -> None:
    waiting = [score_job(), score_job()]
    queue = await queue_of(*waiting)
    failed = await queue.next_for(ONE)
    queue.put(failed, first=True)
    assert await queue.next_for(TWO) is failed is waiting[0]


async def test_verdicts_are_recorded_for_one_answer_after_the_other() -> None:
    """Verdicts are stored by answer, and a verdict resets the count of crashes."""
    job = score_job(answers=4)
    job.pending.remove(1)
    job.verdicts[1] = Verdict(0.0, "no_answer")
    job.crashes = 1
    job.record(Verdict(1.0, "scored"))
    assert (job.pending, job.crashes) == ([2, 3], 0)
    job.record_all(Verdict(0.0, "error"))
    job.finish_if_scored()
    kinds = [verdict.kind for verdict in await job.future]
    assert kinds == ["scored", "no_answer", "error", "error"]


def test_the_maker_of_a_problem_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found by recipe, whether or not that names the library, among the last ones."""
    recipes = [{"task": "gcd", "seed": seed, "config": {"a": 1}} for seed in range(3)]
    made = MadeProblems()
    made.add(recipes[0], ONE, 0.5)
    made.add(recipes[1], TWO, 0.1)
    assert made.find(recipes[0]) == (ONE, 0.5)
    assert made.find({**recipes[0], "config": {"a": 2}}) == (None, 0.0)
    assert made.find({**recipes[1], "problems": "library"}) == (TWO, 0.1)
    assert made.find({**recipes[1], "problems": "hardened"}) == (None, 0.0)
    monkeypatch.setattr(jobs, "MAX_MADE_PROBLEMS", 1)
    made.add(recipes[2], TWO, 0.1)
    assert made.find(recipes[0]) == (None, 0.0) and made.find(recipes[2]) == (TWO, 0.1)
