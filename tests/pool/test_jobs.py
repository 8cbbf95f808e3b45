"""rgenv/pool/jobs.py: which job a worker gets next."""

from types import SimpleNamespace
from typing import Any

from rgenv.pool.jobs import Job, JobQueue, ScoreJob


def score_job(**attributes: Any) -> ScoreJob:
    return ScoreJob({"op": "score", "task": "gcd"}, seconds=1.0, pending=[0], **attributes)


async def test_a_worker_first_scores_its_own_problems_and_makes_others_last() -> None:
    """A problem that is slow to make waits for its maker, while that lives."""
    one, two = (SimpleNamespace(ended=False) for _ in range(2))
    making = Job({"op": "make", "task": "gcd"}, seconds=1.0)
    slow = score_job(maker=two, making_seconds=0.2)
    older, own = score_job(maker=two, making_seconds=0.05), score_job(maker=one)
    queue = JobQueue()
    for job in (making, slow, older, own):
        queue.put(job)
    served: list[Job] = [await queue.next_for(one) for _ in range(3)]
    assert served == [own, older, making]
    queue.put(making)
    two.ended = True
    assert await queue.next_for(one) is slow
