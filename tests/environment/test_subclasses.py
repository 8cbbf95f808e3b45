"""Subclasses of ReasoningGymEnv: their options, constructor keywords and command line."""

import asyncio
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reasoning_gym_environment import ReasoningGymEnv
from rgenv.atropos.config import NOT_CALLED
from rgenv.errors import BadUsage
from rgenv.types import Problem
from tests.conftest import MakeEnv
from tests.support.environments import always, next_group
from tests.support.fakes import RolloutApi, fake_config
from tests.support.subclasses import Mine, TeacherFirst, TeacherLast


@pytest.mark.parametrize("cls", [TeacherFirst, TeacherLast])
async def test_a_teacher_combines_in_either_order(
    make_env: MakeEnv, api: RolloutApi, cls: type[ReasoningGymEnv]
) -> None:
    teacher = fake_config(model_name="teacher")
    env: Any = await make_env(
        always("<answer>no</answer>"),
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


TEACHER = ["--teacher.model_name", "big", "--env.teacher_top_k", "4"]


@pytest.mark.slow
@pytest.mark.usefixtures("ready_workers")
@pytest.mark.parametrize(
    ("cls", "words", "said"),
    [
        (Mine, ["process", "--env.greeting", "hello"], "Mine processes with hello."),
        (TeacherLast, ["serve", *TEACHER], "TeacherLast has the teacher big."),
    ],
)
async def test_a_subclass_starts_from_its_own_command_line(
    cls: type[ReasoningGymEnv],
    words: list[str],
    said: str,
    tmp_path: Path,
    unserved: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`cls.cli()` takes the options that the class adds; it ends because no server answers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["program.py", *words, *unserved])
    with pytest.raises(SystemExit, match=r"^1$"):
        await asyncio.to_thread(cls.cli)
    out, err = capsys.readouterr()
    assert said in out and "max_token_length" not in out, "no option is printed, keys included"
    assert "No inference server is ready" in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda scores: scores[1:], r"0\.0\] for 4 completions"),
        (lambda _: [None] * 4, r"scores \[None"),
        (lambda _: [math.nan] * 4, r"scores \[nan"),
    ],
)
async def test_a_group_that_cannot_be_sent_ends_the_run(
    make_env: MakeEnv, change: Any, said: str
) -> None:
    class Own(ReasoningGymEnv):
        async def collect_trajectories(self, item: Problem) -> Any:
            group, again = await super().collect_trajectories(item)
            return group and {**group, "scores": change(group["scores"])}, again

    async def serve() -> None:
        serving.groups.start(await serving.get_next_item(), serving.handle_env)
        await asyncio.sleep(60)

    options: Any = {"env_cls": Own, "task_names": ["gcd"], "total_steps": 1}
    serving = await make_env(mode="serve", **options)
    with pytest.raises(BadUsage, match=said):
        await serving._shutdown.guard(serve(), serving.close, lambda _: None)
    processing = await make_env(mode="process", **options)
    with pytest.raises(BadUsage, match=said):
        await processing._process()


async def test_arrays_are_sent_as_lists(make_env: MakeEnv, api: RolloutApi) -> None:
    options: Any = {"task_names": ["gcd"], "rollout_server_url": api.url}
    env = await make_env(always("<answer>no</answer>"), **options)
    group, item = await next_group(env)
    group["masks"] = [np.array(row) for row in group["masks"]]
    await env.handle_send_to_api({**group, "scores": np.array([0, 1, 0, 1], np.float32)}, item)
    [sent] = api.taken
    assert sent["scores"] == [0, 1, 0, 1]
    assert sent["masks"] == [row.tolist() for row in group["masks"]]


async def test_an_item_that_is_none_is_refused_where_it_is_got(make_env: MakeEnv) -> None:
    class Own(ReasoningGymEnv):
        async def get_next_item(self) -> Any:
            return {"question": "2 + 2"}

    env = await make_env(env_cls=Own, mode="process", task_names=["gcd"], total_steps=1)
    with pytest.raises(BadUsage, match="get_next_item returned a dict, not an item"):
        await env._process()


HOOKS = dict.fromkeys(NOT_CALLED, lambda *_: None)
CALLERS = dict.fromkeys(NOT_CALLED.values(), lambda *_: None)


class Calls(ReasoningGymEnv):
    """Calls methods of its own that have names of hooks."""

    async def get_next_item(self) -> Any:
        return [self.score(one) for one in "ab"]

    def score(self, text: str) -> Any:
        return self._extract_final_answer(text)

    def _extract_final_answer(self, text: str) -> str:
        return text


def test_overrides_that_nothing_calls_are_one_error() -> None:
    """Unless the subclass may call them from a hook or a method of its own."""
    for bases, methods in ((), HOOKS), ((type("Helper", (), HOOKS),), {}):
        with pytest.raises(BadUsage, match="Nothing calls") as error:
            type("Mine", (*bases, ReasoningGymEnv), methods)
        named, _, hooks = str(error.value).partition(": override ")
        assert all(f"Mine.{name}" in named for name in HOOKS)
        assert all(hook in hooks for hook in CALLERS)
    type("Further", (type("Both", (ReasoningGymEnv,), {**HOOKS, **CALLERS}),), {})


def test_a_name_of_the_reference_is_told_what_has_its_place() -> None:
    env = object.__new__(ReasoningGymEnv)
    with pytest.raises(AttributeError, match=r"stats': use source\.difficulty\.levels\(\)\."):
        _ = env.get_curriculum_stats
    with pytest.raises(AttributeError, match="and the option start_levels"):
        env.task_complexity_levels = {}
