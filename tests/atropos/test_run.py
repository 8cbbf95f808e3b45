"""rgenv/atropos/run.py: how a command runs, and how it ends."""

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.reporting import is_logged
from rgenv.atropos.run import Run
from rgenv.atropos.startup import Mode
from rgenv.errors import StartupError
from rgenv.rollouts.metrics import TrainMetrics
from tests.conftest import MakeEnv
from tests.support.environments import serve_items
from tests.support.replies import always


class Hooks:
    """As much of an environment as a command without servers needs."""

    name, tokenizer, curr_step, closed = "test", "any", 0, 0
    eval_metrics: tuple[Any, ...] = ()

    async def close(self) -> None:
        self.closed += 1

    async def wandb_log(self) -> None:
        raise AssertionError("nothing is left to report")


def new_run(hooks: Any, folder: Path, **options: Any) -> Run:
    return Run(
        hooks,
        ReasoningGymEnvConfig(group_size=2, **options),
        SimpleNamespace(servers=[]),
        metrics=TrainMetrics(),
        dumps_dir=folder,
        groups_file=None,
    )


@pytest.mark.parametrize("mode", ["serve", "process", "evaluate"])
async def test_an_error_is_the_last_line_of_a_closed_run(
    mode: Mode, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment is closed before the reason is logged, and the error goes on."""
    monkeypatch.chdir(tmp_path)
    hooks = Hooks()

    async def loop() -> None:
        raise KeyError("odd")

    with caplog.at_level(logging.INFO), pytest.raises(KeyError, match="odd") as raised:
        await new_run(hooks, tmp_path).command(mode, loop)
    assert hooks.closed == 1 and is_logged(raised.value)
    assert caplog.messages[-1].startswith("Ended: KeyError: 'odd'. Result: ")


async def test_a_mistake_at_the_start_is_left_to_the_command(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The command prints its sentence, and nothing was saved: a line would say it twice."""
    hooks = Hooks()

    async def loop() -> None:
        raise StartupError("No task is left.")

    with caplog.at_level(logging.INFO), pytest.raises(StartupError) as raised:
        await new_run(hooks, tmp_path).command("process", loop)
    assert "Ended" not in caplog.text and not is_logged(raised.value)


async def test_a_snapshot_has_the_numbers_of_the_run(make_env: MakeEnv) -> None:
    """Groups and tokens come from the metrics, the queue and its limit from API and options."""
    env = await make_env(always("<answer>1</answer>"), task_names=["gcd"], batch_size=18)
    run = env._run
    run.mode, env.curr_step = "serve", 3
    run.loop.status = {"queue_size": 5}
    await serve_items(env, 2)
    now: Any = run._look()
    assert (now.step, now.groups, now.queue, now.queue_limit) == (3, 2, 5, 3 * 18 // 4)
    assert now.tokens > 0 and now.under_way == now.scoring == 0 and not now.inference_away
    assert now.never_fills == (
        "its batch_size 18 is not a multiple of group_size 4, so a batch may never fill"
    )
    assert now.rates["format_rate"] == 1.0
    env.server.servers[0].server_healthy = False
    assert run._look().inference_away
