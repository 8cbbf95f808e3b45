"""Tests of rgenv/evaluation/evaluate.py."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rgenv.evaluation.asking import Reply
from rgenv.evaluation.evaluate import evaluate
from rgenv.evaluation.runner import EvaluationRunner
from rgenv.evaluation.sample_log import read
from rgenv.types import Problem, Sample, Verdict

PROBLEMS = [Problem("gcd", n, None, {}, f"Question {n}?", str(n)) for n in range(4)]
ABOUT = {"model": "m", "temperature": 0.1, "top_p": 0.9, "max_tokens": 64}


async def run(folder: Path | None, **options: Any) -> tuple[dict[str, float], list[Sample], int]:
    """Evaluate a model that solves every second problem; also return how many it was asked."""
    asked = 0

    async def ask(problem: Problem) -> Reply:
        nonlocal asked
        asked += 1
        return Reply([], f"<answer>{problem.seed % 2}</answer>", "stop", 3)

    async def score(problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        return [Verdict(float(answer == "1"), "scored") for answer in answers]

    about = options.pop("about", ABOUT)
    runner = EvaluationRunner(ask, score)
    done = await evaluate(PROBLEMS, runner, about=about, folder=folder, **options)
    return done.metrics, done.samples, asked


async def test_results_are_written_into_the_folder(tmp_path: Path) -> None:
    """metrics.json has the metrics and the sampling parameters in lighteval's format."""
    metrics, samples, _ = await run(tmp_path / "out")
    assert metrics["eval/accuracy"] == 0.5
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names >= {
        "evaluation.json",
        "samples.jsonl",
        "metrics.json",
        "report.html",
        "samples.html",
    }
    assert sorted(read(tmp_path / "out" / "samples.jsonl"), key=lambda s: s["id"]) == samples
    assert json.loads((tmp_path / "out" / "evaluation.json").read_text()) == ABOUT
    content = json.loads((tmp_path / "out" / "metrics.json").read_text())
    assert content["results"]["all"] == metrics
    assert content["config_general"]["model_name"] == "m"
    assert content["config_general"]["generation_parameters"] == {
        "max_new_tokens": 64,
        "temperature": 0.1,
        "top_p": 0.9,
    }
    assert 0 <= float(content["config_general"]["total_evaluation_time_seconds"]) < 600


async def test_a_low_temperature_with_several_completions_is_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """pass@k of equal completions says nothing; one completion for each problem is as usual."""
    await run(None)
    await run(None, about={**ABOUT, "samples_per_item": 4, "temperature": 1.0})
    assert "pass@k" not in caplog.text
    await run(None, about={**ABOUT, "samples_per_item": 4})
    assert "At temperature 0.1" in caplog.text and "eval_temperature" in caplog.text
