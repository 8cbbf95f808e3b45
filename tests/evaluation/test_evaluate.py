from pathlib import Path
from typing import Any

import pytest

from rgenv.evaluation.evaluate import evaluate
from rgenv.evaluation.runner import EvaluationRunner
from tests.evaluation.test_runner import PROBLEMS, Model
from tests.support.viewed import page_data


async def run(folder: Path | None = None, **about: Any) -> None:
    about = {"model": "m", "temperature": 0.1, "top_p": 0.9, "max_tokens": 64, **about}
    runner = EvaluationRunner(Model().ask, Model().answers, Model().score)
    await evaluate(PROBLEMS[:4], runner, about=about, folder=folder)


async def test_the_page_has_the_samples_of_this_evaluation_alone(tmp_path: Path) -> None:
    for folder in (tmp_path / "other", tmp_path):
        await run(folder)
    found = page_data(tmp_path / "report.html")[0]["groups"]["id"]
    assert sorted(found) == [f"{tmp_path.name}/gcd/{n}/none" for n in range(4)]


async def test_a_low_temperature_with_several_completions_is_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    await run()
    await run(samples_per_item=4, temperature=1.0)
    assert "pass@k" not in caplog.text
    await run(samples_per_item=4)
    assert "At temperature 0.1" in caplog.text and "eval_temperature" in caplog.text
