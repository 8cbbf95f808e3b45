"""rgenv/pool/jobs.py: jobs, and the rule by which a worker gets the next one."""

from typing import Any

from rgenv.pool.jobs import Job, JobQueue, ScoreJob

ONE: Any = "worker one"
TWO: Any = "worker two"


def make_job(task: str) -> Job:
    return Job({"op": "make", "task": task}, seconds=1.0)


def score_job(**attributes: Any) -> ScoreJob:
    return ScoreJob({"op": "score", "task": "gcd"}, seconds=1.0, pending=[0], **attributes)


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
