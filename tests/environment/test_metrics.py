"""reasoning_gym_environment.py: metrics and the log."""

from tests.conftest import MakeEnv
from tests.support.replies import always


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
