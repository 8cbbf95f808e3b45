"""reasoning_gym_environment.py: saving and resuming a run."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from reasoning_gym_environment import ReasoningGymEnv
from rgenv.pool.pool import WorkerPool
from tests.conftest import MakeEnv
from tests.support.environments import always, next_items
from tests.support.fakes import RolloutApi
from tests.support.pools import HeldScoring, PoolDouble


async def test_what_was_under_way_is_served_again_and_nothing_is_skipped(
    make_env: MakeEnv, pool: WorkerPool, tmp_path: Path
) -> None:
    held = HeldScoring(pool)
    first = await make_env(
        always("x"), pool=PoolDouble(pool, score=held), task_names=["gcd", "lcm"]
    )
    items = await next_items(first, 4)
    first.groups.start(items[1], lambda _name: asyncio.Event().wait())
    first.backlog.append(items[2])
    collecting = asyncio.create_task(first.collect_trajectories(items[3]))
    await held.begun.wait()
    second = await make_env(task_names=["gcd", "lcm"])
    for env, step in ((first, 4), (second, 6)):  # what registering sets
        env.checkpoint_dir, env.wandb_prepend, env.curr_step = str(tmp_path), "e_0", step
    first.save_checkpoint(4)
    second.load_checkpoint()
    assert set(map(repr, await next_items(second, 3))) == set(map(repr, items[1:]))
    assert await next_items(second, 10) == await next_items(first, 10)
    held.release.set()
    await collecting


async def test_registering_again_goes_on_with_stream_and_name(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    env = await make_env(task_names=["gcd"], rollout_server_url=api.url, mode="serve")
    await env.register_env()
    items, env.curr_step = await next_items(env, 3), 5
    api.registration |= {"wandb_name": "test_1", "env_id": 7}
    await env.get_status()
    assert (env.wandb_prepend, env.env_id) == ("test_0", 7)
    assert env.metrics.take()["train/registered_again"] == 1
    assert (await env.get_next_item()) not in items


async def registered(make_env: MakeEnv, api: RolloutApi, **options: Any) -> ReasoningGymEnv:
    env = await make_env(
        always("<answer>1</answer>"),
        mode="serve",
        task_names=["gcd", "lcm"],
        rollout_server_url=api.url,
        ensure_scores_are_not_same=False,
        **options,
    )
    await env.register_env()
    return env


async def test_an_ended_run_goes_on_whatever_its_registration(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    first = await registered(make_env, api)
    delivered, skipped, sending, asked = await next_items(first, 4)
    for item in (delivered, skipped):
        group, _ = await first.collect_trajectories(item)
        first.config.ensure_scores_are_not_same = item is skipped
        await first.handle_send_to_api(await first.postprocess_histories(group), item)
    await first.collect_trajectories(sending)
    await first.close()
    api.registration |= {"wandb_name": "test_18", "env_id": 18, "starting_step": 7}
    second = await registered(make_env, api)
    unbroken = await make_env(task_names=["gcd", "lcm"])
    stream = await next_items(unbroken, 9)
    assert await next_items(second, 7) == [sending, asked, *stream[4:]]


async def test_the_end_follows_the_trainer_unless_it_is_set(
    make_env: MakeEnv, api: RolloutApi
) -> None:
    env = await registered(make_env, api, wandb_name="trainer")
    assert env.config.total_steps == 9
    api.registration["num_steps"] = 12
    await env.register_env()
    assert env.config.total_steps == 12
    env = await registered(make_env, api, wandb_name="own", total_steps=5)
    assert env.config.total_steps == 5


@pytest.mark.parametrize(
    ("old", "new", "evaluated"), [(0, 3, True), (2, 3, True), (0, 10, True), (3, 5, False)]
)
async def test_a_step_that_jumps_misses_no_evaluation(
    make_env: MakeEnv, old: int, new: int, evaluated: bool
) -> None:
    env = await make_env(always("x"), task_names=["gcd"], steps_per_eval=3)
    env.curr_step, env.status_dict = old, {"current_step": new}
    await env.env_step_checks()
    assert (env.eval_runner is not None) == evaluated
    assert env.curr_step == new
    if env.eval_runner is not None:
        await env.eval_runner
        assert len(env.eval_samples) == len(env.eval_items)
