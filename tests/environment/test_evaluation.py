"""reasoning_gym_environment.py: the evaluation set, its results, evaluations beside training."""

import asyncio
from pathlib import Path

import pytest

from rgenv.errors import EvaluationMismatch
from tests.conftest import MakeEnv
from tests.support.environments import Outage
from tests.support.viewed import page_data

SMALL = {"task_names": ["gcd", "lcm"], "num_eval_tasks": 0, "num_eval_samples_per_task": 3}
SMALL |= {"outage_patience": 0.2, "startup_timeout": 0.2}
ONE = "<think>so</think><answer>1</answer>"


@pytest.fixture(autouse=True)
def give_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let three samples that fail together end an evaluation."""
    monkeypatch.setattr("rgenv.evaluation.asking.GIVE_UP_AFTER", 3)


async def test_answers_of_another_model_are_not_mixed_in(make_env: MakeEnv, tmp_path: Path) -> None:
    out = {**SMALL, "data_dir_to_save_evals": str(tmp_path / "run")}
    await (await make_env(Outage(ONE), **out, mode="evaluate")).evaluate()
    server, before = Outage(ONE), (tmp_path / "run/evaluate_config.yaml").read_text()
    with pytest.raises(EvaluationMismatch, match=r"temperature was 0\.1, is 0\.5"):
        await (await make_env(server, **out, mode="evaluate", eval_temperature=0.5)).evaluate()
    assert server.asked == 0
    assert (tmp_path / "run/evaluate_config.yaml").read_text() == before
    await (await make_env(server, **out, eval_temperature=0.5, force=True)).evaluate()
    assert server.asked == 6


async def test_in_serve_every_step_and_replica_has_its_folder(
    make_env: MakeEnv, tmp_path: Path
) -> None:
    out = {**SMALL, "mode": "serve", "data_dir_to_save_evals": str(tmp_path)}
    for replica, step in (({}, 5), ({}, 10), ({}, 10), ({"num_replicas": 2, "replica_id": 1}, 10)):
        env = await make_env(Outage(ONE), **out, **replica)
        env.curr_step = step
        await env.evaluate()
    found = [str(path.parent.relative_to(tmp_path)) for path in tmp_path.rglob("samples.jsonl")]
    steps = ["step-000005", "step-000010", "step-000010.before-1"]
    assert sorted(found) == ["replica1/step-000010", *steps]
    [shown] = page_data(tmp_path / "step-000010.before-1" / "report.html")[0]["evaluations"]
    assert shown["changes"]["name"] == "step-000005"
    assert env.config.data_dir_to_save_evals == str(tmp_path)


async def test_a_failing_evaluation_does_not_end_training(
    make_env: MakeEnv, caplog: pytest.LogCaptureFixture
) -> None:
    env = await make_env(Outage(ONE, fails_from=1), **SMALL)
    env.start_evaluation()
    await env.eval_runner
    assert "evaluation at step 0 failed" in caplog.text


async def test_an_evaluation_that_stops_training_keeps_its_items(make_env: MakeEnv) -> None:
    env = await make_env(Outage(ONE), **SMALL, eval_handling="STOP_TRAIN")
    item = await env.get_next_item()
    working = asyncio.create_task(asyncio.sleep(60))
    env.workers.add(working)
    env.running_items["x"] = {"item": item, "worker": working}
    env.start_evaluation()
    await env.eval_runner
    await asyncio.gather(working, return_exceptions=True)
    assert working.cancelled() and env.backlog == [item]
    assert not env.workers and not env.running_items
