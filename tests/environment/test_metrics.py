"""reasoning_gym_environment.py: metrics and the log."""

import pytest

from rgenv.pool.pool import WorkerPool
from tests.conftest import MakeEnv
from tests.support.environments import next_group
from tests.support.fakes import RolloutApi
from tests.support.pools import PoolDouble, fixed_scores_by_task
from tests.support.replies import always


async def test_the_reward_is_that_of_what_was_sent(
    make_env: MakeEnv, pool: WorkerPool, api: RolloutApi
) -> None:
    """`train/reward` is the mean of the rewards that the rollout API got, noise removed."""
    double = PoolDouble(
        pool,
        score=fixed_scores_by_task(
            {"gcd": [1.0, 0.0, 0.0, 0.0], "lcm": [0.01, 0.0, 0.0, 0.0], "products": [1.0] * 4}
        ),
    )
    env = await make_env(
        always("<answer>a</answer>"),
        pool=double,
        task_names=["gcd", "lcm", "products"],
        rollout_server_url=api.url,
    )
    env.mode = "serve"
    for _ in range(12):
        await env.handle_send_to_api(*await next_group(env))
    sent = [score for group in api.taken for score in group["scores"]]
    metrics = env.metrics.take()
    assert metrics["train/reward"] == pytest.approx(sum(sent) / len(sent)) == 0.25
    assert "train/lcm/reward" not in metrics and "train/products/reward" not in metrics


async def test_the_rollout_table_shows_task_level_and_answers(make_env: MakeEnv) -> None:
    """A row has the completion, reward, both answers, task and level; the last groups are kept."""
    env = await make_env(
        always("<answer>1</answer>"), task_names=["gcd"], use_wandb=True, num_rollouts_to_keep=2
    )
    for seed in (7, 8, 9):
        item = await env.make_item("gcd", seed, 0.5)
        group, _ = await env.collect_trajectories(item)
        await env.add_rollouts_for_wandb(group, item)
    [_, [row, *_]] = env.rollouts_for_wandb
    assert row[1:] == (group["scores"][0], "1", item.answer, "gcd", "0.5")
    assert "<answer>1</answer>" in row[0]
    logged = await env.create_rollout_table({})
    assert len(logged["train/rollouts"].data) == 2 * len(env.rollouts_for_wandb[0])
