"""reasoning_gym_environment.py: what a run reports, and that its stream depends on nothing else."""

from pathlib import Path
from typing import Any

from rgenv.atropos.evaluation import evaluation_definition
from tests.conftest import MakeEnv
from tests.support.environments import always, next_group


async def test_the_line_of_the_log_has_the_numbers_of_the_run(make_env: MakeEnv) -> None:
    env = await make_env(always("<answer>1</answer>"), task_names=["gcd"], batch_size=18)
    env.mode, env.curr_step = "serve", 3
    env.groups.status = {"queue_size": 5}
    for _ in range(2):
        await next_group(env)
    now: Any = env._look()
    assert (now.step, now.groups, now.queue, now.queue_limit) == (3, 2, 5, 3 * 18 // 4)
    assert now.tokens > 0 and now.under_way == now.scoring == 0 and not now.inference_outage
    assert "batch_size 18 is not a multiple of group_size 4" in now.never_fills


async def test_an_evaluation_is_described_by_what_determines_it(make_env: MakeEnv) -> None:
    async def about(step: int | None = None, **options: Any) -> dict[str, Any]:
        usual = {"task_names": ["gcd", "lcm"], "num_eval_tasks": 0}
        env = await make_env(mode="evaluate", **usual | options)
        return evaluation_definition(env.config, env.policy, "1", env.eval_items, step)

    plain = await about()
    assert plain["model"] == "fake" and plain["items"] == 2 and plain["levels"] == ["none"]
    assert plain == await about(seed=7, temperature=0.3)
    assert plain == await about(eval_limit=7), "of a set that has no more"
    changes = {"step": 5, "eval_seed": 5, "eval_levels": [1.0], "task_names": ["gcd"]}
    changes |= {"eval_temperature": 0.3, "eval_max_tokens": 7777, "eval_samples_per_item": 2}
    changes |= {"chat_template": "chatml", "strict_verifiers": False}
    for name, value in changes.items():
        assert await about(**{name: value}) != plain, name


async def test_the_rollout_table_shows_task_level_and_answers(make_env: MakeEnv) -> None:
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


async def test_replicas_share_what_they_learn(make_env: MakeEnv, tmp_path: Path) -> None:
    for number, options in enumerate(({"num_replicas": 2}, {})):
        env = await make_env(task_names=["lcm"], complexity_mode="curriculum", **options)
        env.checkpoint_dir = str(tmp_path / str(number))
        env._share_evidence()
        env.source.observe(await env.get_next_item(), [1.0])
        await env.get_next_item()
    assert (tmp_path / "0").exists() and not (tmp_path / "1").exists()
