"""Subclasses of ReasoningGymEnv: their options, constructor keywords and command line."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from demo.processes import OFFLINE
from reasoning_gym_environment import ReasoningGymEnv
from rgenv.atropos import command as cli
from tests.conftest import MakeEnv
from tests.support.environments import next_group
from tests.support.fakes import RolloutApi, fake_config
from tests.support.paths import ROOT
from tests.support.replies import always
from tests.support.subclasses import Mine, TeacherFirst, TeacherLast

ANSWER = always("<answer>no</answer>")
ORDERS = [TeacherFirst, TeacherLast]


def run(cls: type, command: str, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.support.subclasses", cls.__name__, command, *words],
        cwd=folder,
        env={**os.environ, **OFFLINE, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )


# A class with an option more


@pytest.mark.slow
def test_a_subclass_starts_from_its_own_command_line(tmp_path: Path, unserved: list[str]) -> None:
    """`Mine.cli()` runs Mine, with the option that Mine adds."""
    words = ["--env.greeting", "hello", "--env.scoring_workers", "1"]
    ended = run(Mine, "process", *words, *unserved, folder=tmp_path)
    assert "Mine processes with hello." in ended.stdout
    assert ended.returncode == 1 and "No inference server answers" in ended.stderr


# Several bases


@pytest.mark.parametrize("cls", ORDERS)
async def test_a_teacher_combines_in_either_order(
    make_env: MakeEnv, api: RolloutApi, cls: type[ReasoningGymEnv]
) -> None:
    teacher = fake_config(model_name="teacher")
    env: Any = await make_env(
        ANSWER,
        env_cls=cls,
        init={"teacher_server_configs": teacher},
        teacher_enabled=True,
        teacher_top_k=4,
        task_names=["gcd"],
        rollout_server_url=api.url,
        ensure_scores_are_not_same=False,
    )
    assert env.teacher_servers == teacher
    assert (env.config.teacher_top_k, env.config.task_names) == (4, ["gcd"])
    group, item = await next_group(env)
    await env.handle_send_to_api(group, item)
    [sent] = api.taken
    assert [len(row) for row in sent["distill_token_ids"]] == [len(row) for row in sent["tokens"]]
    assert sent["group_overrides"]["group_id"] == group["group_overrides"]["group_id"]
    env.config.ensure_scores_are_not_same = True
    await env.handle_send_to_api(*await next_group(env))
    metrics = env.metrics.take()
    assert len(api.taken) == 1 and metrics["train/groups_skipped"] == 1


@pytest.mark.slow
@pytest.mark.usefixtures("ready_workers")
@pytest.mark.parametrize("cls", ORDERS)
async def test_a_teacher_starts_from_the_command_line(
    cls: type[ReasoningGymEnv],
    tmp_path: Path,
    unserved: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """serve takes options of all three namespaces and ends with a message: no server answers."""
    words = ["--teacher.model_name", "big", "--env.teacher_top_k", "4"]
    monkeypatch.chdir(tmp_path)
    assert await asyncio.to_thread(cli.run, cls, ["serve", *words, *unserved]) == 1
    out, err = capsys.readouterr()
    assert f"{cls.__name__} has the teacher big." in out
    assert "No inference server answers" in err and "Traceback" not in err
