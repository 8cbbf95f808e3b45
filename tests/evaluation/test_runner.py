import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from rgenv.evaluation.eval_metrics import metrics
from rgenv.evaluation.results import notes
from rgenv.evaluation.runner import EvaluationRunner
from rgenv.evaluation.sample_log import SampleLog
from rgenv.types import Problem, Reply, Verdict
from tests.support.dumps import Disk

PROBLEMS = [Problem("gcd", n, None, {}, f"Question {n}?", str(n)) for n in range(12)]


class Model:
    def __init__(self) -> None:
        self.asked: list[int] = []

    async def ask(self, problem: Problem) -> Reply:
        self.asked.append(problem.seed)
        await asyncio.sleep(0)
        return Reply([], f"<answer>{problem.answer}</answer>", "stop", 9)

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        return [Verdict(float(answer == problem.answer), "scored") for answer in answers]


async def test_tasks_take_turns() -> None:
    problems = [Problem(task, n, None, {}, f"{task} {n}?", "1") for task in "ab" for n in range(2)]
    model = Model()
    asker = EvaluationRunner(model.ask, model.score, samples_each=2, concurrency=1)
    order = [name for name, _, _ in asker.missing(problems)]
    assert order[:4] == ["a/0/none/0", "b/0/none/0", "a/1/none/0", "b/1/none/0"]
    assert all(name.endswith("/1") for name in order[4:])
    samples = await asker.run(problems)
    assert model.asked == [0, 0, 1, 1] * 2
    assert [s["id"] for s in samples][:3] == ["a/0/none/0", "a/0/none/1", "a/1/none/0"]


async def test_a_scoring_failure_is_an_error_of_its_sample() -> None:
    model = Model()

    async def score(problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        if problem.seed == 1:
            raise RuntimeError("no worker")
        return await model.score(problem, answers)

    samples = await EvaluationRunner(model.ask, score).run(PROBLEMS[:3])
    assert [s.get("error") for s in samples] == [None, "RuntimeError: no worker", None]
    assert notes(samples) == ["1 sample failed: RuntimeError: no worker (1)."]
    found = metrics(samples)
    assert (found["eval/errors"], found["eval/accuracy"]) == (1, 1.0)


async def test_a_full_disk_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Disk(monkeypatch, full=True)
    model = Model()
    log = SampleLog.open(tmp_path, {})
    with pytest.raises(OSError, match="No space"):
        await EvaluationRunner(model.ask, model.score, concurrency=1).run(PROBLEMS, log)
    assert len(model.asked) < len(PROBLEMS)
