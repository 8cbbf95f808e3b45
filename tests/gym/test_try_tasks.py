"""rgenv/gym/try_tasks.py: trying the tasks once."""

import asyncio

import pytest

from rgenv.errors import BadUsage, MakeFailed, StartupError
from rgenv.gym.try_tasks import try_tasks
from rgenv.types import Problem
from tests.support.rollouts import problem


async def test_a_generator_that_fails_with_some_seeds_is_no_mistake() -> None:
    """Three seeds are tried, and only tasks with configured parameters are refused."""
    failures = {"unlucky": 2, "broken": 99}

    async def make(task: str, seed: int, level: float | None) -> Problem:
        if seed < failures.get(task, 0):
            raise MakeFailed("error", "ValueError: no luck")
        return problem(seed, task, level)

    plan = [("unlucky", None), ("broken", None)]
    assert [p.seed for p in await try_tasks(make, plan, {"unlucky": {}}, timeout=60)] == [2]
    with pytest.raises(BadUsage, match=r"task_configs.broken: .*no luck"):
        await try_tasks(make, plan, {"broken": {}}, timeout=60)


async def test_a_task_whose_problems_nobody_can_answer_is_refused() -> None:
    """One in many suffices; none is bad usage with the parameters, and found out at once."""
    tried: list[int] = []

    async def make(task: str, seed: int, level: float | None) -> Problem:
        tried.append(seed)
        return problem(seed, task, level, winnable=task == "rare" and seed == 60)

    configs = {"rare": {"size": 9}, "never": {"cells": 50}}
    assert [p.seed for p in await try_tasks(make, [("rare", None)], configs, timeout=60)] == [60]
    with pytest.raises(BadUsage, match=r'{"cells": 50} makes no problem.*sure to be right'):
        await try_tasks(make, [("never", None)], configs, timeout=60)
    assert max(tried) == 99
    with pytest.raises(StartupError, match="never: unanswerable: none of 100"):
        await try_tasks(make, [("never", None)], {}, timeout=60)


async def test_slow_generators_are_left_untried(caplog: pytest.LogCaptureFixture) -> None:
    """They are ended after the timeout, and the log says how many they are."""
    ended = []

    async def make(task: str, seed: int, level: float | None) -> Problem:
        try:
            await asyncio.sleep(60 if task == "slow" else 0)
        finally:
            ended.append(task)
        return problem(seed, task, level)

    made = await try_tasks(make, [("slow", None), ("gcd", None)], {}, timeout=0.2)
    assert [p.task for p in made] == ["gcd"] and ended == ["gcd", "slow"]
    assert "1 of 2 tasks were not tried within 0.2 s" in caplog.text
    with pytest.raises(StartupError, match=r"No task makes a problem .none within 0\.2 s"):
        await try_tasks(make, [("slow", None)], {}, timeout=0.2)
