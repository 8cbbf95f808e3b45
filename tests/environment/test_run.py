"""reasoning_gym_environment.py: what is derived from a whole run: gauges, the line of the log."""

from typing import Any

from rgenv.atropos.evaluation import evaluation_definition
from tests.conftest import MakeEnv
from tests.support.environments import next_group
from tests.support.metric_names import pattern_of
from tests.support.replies import always


async def test_every_gauge_is_documented(make_env: MakeEnv) -> None:
    env = await make_env(task_names=["gcd"], complexity_mode="curriculum")
    env.source.observe(await env.get_next_item(), [1.0])
    metrics = env._current_metrics()
    assert metrics["curriculum/total_tasks_tracked"] == 1 and metrics["pool/worker_restarts"] == 0
    assert all(map(pattern_of, metrics))


async def test_the_line_of_the_log_has_the_numbers_of_the_run(make_env: MakeEnv) -> None:
    """Groups and tokens come from the metrics, the queue and its limit from API and options."""
    env = await make_env(always("<answer>1</answer>"), task_names=["gcd"], batch_size=18)
    env.mode, env.curr_step = "serve", 3
    env.groups.status = {"queue_size": 5}
    for _ in range(2):
        await next_group(env)
    now: Any = env._look()
    assert (now.step, now.groups, now.queue, now.queue_limit) == (3, 2, 5, 3 * 18 // 4)
    assert now.tokens > 0 and now.under_way == now.scoring == 0 and not now.inference_away
    assert "batch_size 18 is not a multiple of group_size 4" in now.never_fills
    env.server.servers[0].server_healthy = False
    assert env._look().inference_away


async def test_an_evaluation_is_described_by_what_determines_it(make_env: MakeEnv) -> None:
    """Descriptions are equal if and only if problems, model, sampling and scoring are."""

    async def about(step: int | None = None, **options: Any) -> dict[str, Any]:
        usual = {"task_names": ["gcd", "lcm"], "num_eval_tasks": 0}
        env = await make_env(mode="evaluate", **usual | options)
        return evaluation_definition(env.config, env.policy, env.gym, env.eval_items, step)

    plain = await about()
    assert plain["model"] == "fake" and plain["items"] == 2 and plain["levels"] == ["none"]
    assert plain == await about(seed=7, temperature=0.3)
    assert plain == await about(eval_limit=7), "of a set that has no more"
    changes = [
        {"step": 5},
        {"eval_seed": 5},
        {"eval_levels": [1.0]},
        {"task_names": ["gcd"]},
        {"eval_temperature": 0.3},
        {"eval_max_tokens": 7777},
        {"chat_template": "chatml"},
        {"eval_samples_per_item": 2},
        {"strict_verifiers": False},
    ]
    for change in changes:
        assert await about(**change) != plain, change
