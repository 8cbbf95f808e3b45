"""rgenv/atropos/run.py: how a command runs, and how it ends."""

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.ending import is_logged
from rgenv.atropos.run import Run
from rgenv.errors import BadUsage, StartupError
from rgenv.rollouts.metrics import TrainMetrics


class Environment:
    """As much of an environment as a command without servers needs."""

    tokenizer, jsonl_writer = "any", None
    eval_metrics: tuple[Any, ...] = ()
    curr_step = closed = 0

    def __init__(self, mode: str, folder: Path, **options: Any) -> None:
        self.mode, self.dumps_dir = mode, folder
        self.config = ReasoningGymEnvConfig(group_size=2, **options)
        self.server = SimpleNamespace(servers=[])

    async def close(self) -> None:
        self.closed += 1

    async def wandb_log(self) -> None:
        raise AssertionError("nothing is left to report")


def new_run(env: Environment) -> Run:
    return Run(env.config, TrainMetrics(), servers=1, env_id=lambda: None)


@pytest.mark.parametrize("mode", ["serve", "process", "evaluate"])
async def test_an_error_is_the_last_line_of_a_closed_run(
    mode: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment is closed before the reason is logged, and the error goes on."""
    monkeypatch.chdir(tmp_path)
    env = Environment(mode, tmp_path)

    async def loop() -> None:
        raise KeyError("odd")

    with caplog.at_level(logging.INFO), pytest.raises(KeyError, match="odd") as raised:
        await new_run(env).command(env, loop)
    assert env.closed == 1 and is_logged(raised.value)
    assert caplog.messages[-1].startswith("Ended: KeyError: 'odd'. Result: ")


async def test_a_mistake_at_the_start_is_left_to_the_command(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The command prints its sentence, and nothing was saved: a line would say it twice."""
    env = Environment("process", tmp_path)

    async def loop() -> None:
        raise StartupError("No task is left.")

    with caplog.at_level(logging.INFO), pytest.raises(StartupError) as raised:
        await new_run(env).command(env, loop)
    assert "Ended" not in caplog.text and not is_logged(raised.value)


async def test_a_finished_run_says_what_ended_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Without an error, the last line names the option that ended the loop."""
    env = Environment("process", tmp_path, total_steps=3)

    async def loop() -> None:
        assert env.closed == 0

    with caplog.at_level(logging.INFO):
        await new_run(env).command(env, loop)
    assert caplog.messages[-1] == "Ended: all 3 groups are done (--env.total_steps). Result: none."


async def test_options_are_checked_before_the_loop(tmp_path: Path) -> None:
    """A command with an option that does not suit it is closed, and starts nothing."""
    env = Environment("serve", tmp_path, eval_compare="evals/a")
    started: list[str] = []

    async def loop() -> None:
        started.append("loop")

    with pytest.raises(BadUsage, match="is for evaluate"):
        await new_run(env).command(env, loop)
    assert (started, env.closed) == ([], 1)


async def test_a_run_without_a_session_is_closed_twice(tmp_path: Path) -> None:
    """Nothing was started, so nothing is waited for."""
    run = new_run(Environment("serve", tmp_path))

    async def deliver(problem: Any, group: Any) -> None:
        raise AssertionError("there are no groups")

    for _ in range(2):
        await run.close(0.0, deliver)
    assert run.session is None
