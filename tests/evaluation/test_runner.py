"""Tests of rgenv/evaluation/runner.py."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from rgenv.errors import InferenceUnavailable
from rgenv.evaluation import runner
from rgenv.evaluation.metrics import metrics
from rgenv.evaluation.runner import EvaluationRunner, Reply, summary
from rgenv.evaluation.sample_log import SampleLog, read
from rgenv.types import Problem, Verdict
from tests.support.samples import sample

PROBLEMS = [Problem("gcd", n, None, {}, f"Question {n}?", str(n)) for n in range(12)]


class Model:
    """Answers every problem.

    Args:
        wrong: seeds of the problems that it answers wrongly.
        failing: seed -> number of requests that fail first.
    """

    def __init__(self, wrong: Sequence[int] = (), failing: dict[int, int] | None = None) -> None:
        self.wrong, self.failing = wrong, dict(failing or {})
        self.asked: list[int] = []
        self.concurrent = self.most_concurrent = 0

    async def ask(self, problem: Problem) -> Reply:
        self.asked.append(problem.seed)
        self.concurrent += 1
        self.most_concurrent = max(self.most_concurrent, self.concurrent)
        await asyncio.sleep(0)
        self.concurrent -= 1
        if self.failing.get(problem.seed, 0) > 0:
            self.failing[problem.seed] -= 1
            raise ConnectionError("away")
        text = "no" if problem.seed in self.wrong else str(problem.answer)
        messages = [{"role": "user", "content": problem.question}]
        return Reply(messages, f"<think>x</think> <answer>{text}</answer>", "stop", 9)

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        return [Verdict(float(answer == problem.answer), "scored") for answer in answers]


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Attempts that were followed by a pause; none of the pauses takes time."""
    attempts: list[int] = []

    def pause(failures: int) -> float:
        attempts.append(failures)
        return 0.0

    monkeypatch.setattr(runner, "pause", pause)
    return attempts


async def test_samples_come_in_the_order_of_problems_and_completions() -> None:
    """Each one holds the conversation, the extracted answer and the verdict."""
    model = Model(wrong=[3])
    asker = EvaluationRunner(
        model.ask, model.score, samples_each=2, categories={"gcd": "arithmetic"}
    )
    samples = await asker.run(PROBLEMS)
    assert [s["id"] for s in samples] == [f"gcd/{n}/none/{k}" for n in range(12) for k in (0, 1)]
    assert [s["correct"] for s in samples[4:10]] == [True, True, False, False, True, True]
    assert samples[6] == {
        "id": "gcd/3/none/0",
        "task": "gcd",
        "category": "arithmetic",
        "level": None,
        "seed": 3,
        "family": 0,
        "sample": 0,
        "recipe": {"task": "gcd", "config": {}, "seed": 3},
        "question": "Question 3?",
        "gold_answer": "3",
        "gold_parsed": "3",
        "messages": [
            {"role": "user", "content": "Question 3?"},
            {"role": "assistant", "content": "<think>x</think> <answer>no</answer>"},
        ],
        "model_parsed": "no",
        "response_after_think": "<answer>no</answer>",
        "score": 0.0,
        "correct": False,
        "verdict": "scored",
        "finish_reason": "stop",
        "completion_tokens": 9,
    }


async def test_concurrent_requests_are_limited() -> None:
    """The limit is reached and not exceeded."""
    model = Model()
    await EvaluationRunner(model.ask, model.score, concurrency=3).run(PROBLEMS)
    assert model.most_concurrent == 3


async def test_a_failed_request_is_repeated_and_other_samples_are_kept(pauses: list[int]) -> None:
    """After two failures the third attempt counts; after three the sample records the error."""
    model = Model(failing={2: 2, 5: 3})
    samples = await EvaluationRunner(model.ask, model.score).run(PROBLEMS)
    assert samples[2]["correct"]
    assert samples[5]["error"] == "ConnectionError: away" and "score" not in samples[5]
    assert sum("score" in sample for sample in samples) == 11
    assert sorted(pauses) == [1, 1, 2, 2]


async def test_only_failures_in_a_row_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A success between failures resets the count."""
    monkeypatch.setattr(runner, "GIVE_UP_AFTER", 3)
    model = Model(failing=dict.fromkeys(range(12), 1))
    samples = await EvaluationRunner(model.ask, model.score, concurrency=1).run(PROBLEMS)
    assert all(sample["correct"] for sample in samples) and len(model.asked) == 24


async def test_a_problem_that_cannot_be_asked_is_not_repeated(pauses: list[int]) -> None:
    """A ValueError, such as a prompt that is too long, is final."""

    class PromptTooLong(Model):
        async def ask(self, problem: Problem) -> Reply:
            self.asked.append(problem.seed)
            raise ValueError("no room")

    model = PromptTooLong()
    samples = await EvaluationRunner(model.ask, model.score).run(PROBLEMS[:2])
    assert model.asked == [0, 1] and pauses == []
    assert all("no room" in s["error"] for s in samples)


async def test_a_scoring_failure_is_an_error_of_its_sample() -> None:
    """The other samples are scored."""

    class BrokenScorer(Model):
        async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
            if problem.seed == 1:
                raise RuntimeError("no worker")
            return await super().score(problem, answers)

    model = BrokenScorer()
    samples = await EvaluationRunner(model.ask, model.score).run(PROBLEMS[:3])
    assert [s.get("error") for s in samples] == [None, "RuntimeError: no worker", None]


async def test_a_dead_server_ends_the_run_and_the_next_run_continues(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The saved samples are not asked for again, and both runs together equal one run."""
    model = Model(failing={n: 99 for n in range(4, 12)})
    log = SampleLog.open(tmp_path, {})
    with pytest.raises(InferenceUnavailable, match=r"^20 requests .*ConnectionError: away"):
        await EvaluationRunner(model.ask, model.score, concurrency=1).run(PROBLEMS, log)
    log.close()
    assert [s["seed"] for s in read(tmp_path / "samples.jsonl") if "score" in s] == [0, 1, 2, 3]
    caplog.set_level(logging.INFO, logger="rgenv")
    second, log = Model(), SampleLog.open(tmp_path, {})
    samples = await EvaluationRunner(second.ask, second.score).run(PROBLEMS, log)
    log.close()
    assert sorted(second.asked) == list(range(4, 12))
    assert "4 of 12 samples are there already." in caplog.text
    uninterrupted = await EvaluationRunner(Model().ask, Model().score).run(PROBLEMS)
    assert samples == uninterrupted


async def test_a_full_disk_ends_the_run() -> None:
    """No request follows a sample that can't be saved."""

    class FullFile:
        name = "samples.jsonl"

        def write(self, line: bytes) -> int:
            return 0

    model = Model()
    log = SampleLog(FullFile(), {})
    with pytest.raises(OSError, match="No space"):
        await EvaluationRunner(model.ask, model.score, concurrency=1).run(PROBLEMS, log)
    assert len(model.asked) < len(PROBLEMS)


async def test_progress_log_line_and_file_have_the_same_accuracy(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each problem has the same weight, also one that lost samples."""

    async def ask(problem: Problem) -> Reply:
        if problem.seed == 0 and len(asked) > 0:
            raise ValueError("too long")
        asked.append(problem)
        return Reply([], "<answer>1</answer>", "stop", 5)

    async def score(problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        return [Verdict(float(problem.seed == 0), "scored")]

    asked: list[Problem] = []
    asking = EvaluationRunner(ask, score, samples_each=3, concurrency=1)
    samples = await asking.run(PROBLEMS[:2])
    found = metrics(samples)
    assert [problem.seed for problem in PROBLEMS[:2]] == [0, 1] and found["eval/errors"] == 2
    assert found["eval/accuracy"] == 0.5
    assert "Evaluating: 6/6 samples, accuracy 0.500, " in capsys.readouterr().err
    assert summary(found) == "4 answers, 2 errors, accuracy 0.500"


def test_the_summary_counts_answers_and_errors() -> None:
    """Without an answer there is no accuracy."""
    samples = [sample(seed=0, score=1.0), sample(seed=0, score=None, index=1)]
    assert summary(metrics(samples)) == "1 answers, 1 errors, accuracy 1.000"
    assert summary(metrics(samples[1:])) == "0 answers, 1 errors, no accuracy"
