from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rgenv.evaluation.asking import Reply
from rgenv.evaluation.evaluate import evaluate
from rgenv.evaluation.runner import EvaluationRunner
from rgenv.types import Problem, Verdict
from tests.support.viewed import page_data

PROBLEMS = [Problem("gcd", n, None, {}, f"Question {n}?", str(n)) for n in range(4)]


async def ask(problem: Problem) -> Reply:
    return Reply([], "<answer>1</answer>", "stop", 3)


async def score(problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
    return [Verdict(1.0, "scored") for _ in answers]


async def run(folder: Path | None = None, **about: Any) -> None:
    about = {"model": "m", "temperature": 0.1, "top_p": 0.9, "max_tokens": 64, **about}
    await evaluate(PROBLEMS, EvaluationRunner(ask, score), about=about, folder=folder)


async def test_the_page_has_the_samples_of_this_evaluation_alone(tmp_path: Path) -> None:
    """`data_dir_to_save_evals evals` may hold other evaluations."""
    for folder in (tmp_path / "other", tmp_path):
        await run(folder)
    found = page_data(tmp_path / "samples.html")[0]["groups"]["id"]
    assert sorted(found) == [f"{tmp_path.name}/gcd/{n}/none" for n in range(4)]


async def test_a_low_temperature_with_several_completions_is_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """pass@k of equal completions says nothing; one completion for each problem is as usual."""
    await run()
    await run(samples_per_item=4, temperature=1.0)
    assert "pass@k" not in caplog.text
    await run(samples_per_item=4)
    assert "At temperature 0.1" in caplog.text and "eval_temperature" in caplog.text
