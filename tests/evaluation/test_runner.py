import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from rgenv.errors import PoolBroken, PromptTooLong, RequestFailed, RequestRefused
from rgenv.evaluation.eval_metrics import metrics
from rgenv.evaluation.results import notes
from rgenv.evaluation.runner import EvaluationRunner
from rgenv.evaluation.sample_log import SampleLog, read
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

    async def answers(self) -> bool:
        return bool(self.asked)

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        return [Verdict(float(answer == problem.answer), "scored") for answer in answers]


async def test_tasks_take_turns() -> None:
    problems = [Problem(task, n, None, {}, f"{task} {n}?", "1") for task in "ab" for n in range(2)]
    model = Model()
    asker = EvaluationRunner(model.ask, model.answers, model.score, samples_each=2, concurrency=1)
    order = [name for name, _, _ in asker.missing(problems)]
    assert order[:4] == ["a/0/none/0", "b/0/none/0", "a/1/none/0", "b/1/none/0"]
    assert all(name.endswith("/1") for name in order[4:])
    samples = await asker.run(problems)
    assert model.asked == [0, 0, 1, 1] * 2
    assert [s["id"] for s in samples][:3] == ["a/0/none/0", "a/0/none/1", "a/1/none/0"]


async def test_a_failed_score_is_an_error_of_its_sample(caplog: pytest.LogCaptureFixture) -> None:
    """Unless nothing can be scored any more, as when the environment is closed meanwhile."""
    caplog.set_level("DEBUG", "rgenv")
    model = Model()

    async def score(problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        if problem.seed == 1:
            raise failure
        return await model.score(problem, answers)

    failure: Exception = RuntimeError("no worker")
    samples = await EvaluationRunner(model.ask, model.answers, score).run(PROBLEMS[:3])
    assert [s.get("error") for s in samples] == [None, "RuntimeError: no worker", None]
    [line] = [line for line in caplog.messages if line.startswith("Answer to gcd, seed 2, ")]
    assert line == "Answer to gcd, seed 2, level none: '2'; raw None, tagged None (scored)"
    failure = PoolBroken("The environment is closed.")
    with pytest.raises(PoolBroken):
        await EvaluationRunner(model.ask, model.answers, score).run(PROBLEMS[:3])


async def test_a_full_disk_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Disk(monkeypatch, full=True)
    model = Model()
    log = SampleLog.open(tmp_path, {})
    with pytest.raises(OSError, match="No space"):
        await EvaluationRunner(model.ask, model.answers, model.score, concurrency=1).run(
            PROBLEMS, log
        )
    assert len(model.asked) < len(PROBLEMS)


REFUSED = [RequestRefused(f"http://h refuses ({final}).", final=final) for final in (True, False)]
FAILED = [RequestFailed("http://h fails with status 500"), RequestFailed("http://h moved (307)")]
OTHERS = [TimeoutError("no answer"), ConnectionError("reset"), PromptTooLong("no room")]
WAYS = [*REFUSED, *FAILED, *OTHERS, RuntimeError("no JSON")]


@pytest.mark.usefixtures("short_pauses")
async def test_no_sample_is_lost_where_one_in_50_fails(tmp_path: Path) -> None:
    async def ask(problem: Problem) -> Reply:
        reply = await model.ask(problem)
        if problem.seed % 50 == 0:
            raise WAYS[problem.seed // 50]
        return reply

    problems = [Problem("gcd", n, None, {}, f"Question {n}?", str(n)) for n in range(400)]
    model, log = Model(), SampleLog.open(tmp_path, {})
    runner = EvaluationRunner(ask, model.answers, model.score, concurrency=16)
    samples = await runner.run(problems, log)
    log.close()
    assert len(samples) == len(read(tmp_path / "samples.jsonl")) == 400
    found = metrics(samples)
    assert (found["eval/errors"], found["eval/accuracy"]) == (8, 1.0)
    [note] = notes(samples)
    assert note.startswith("8 samples failed: ") and note.count("(1)") == 8
