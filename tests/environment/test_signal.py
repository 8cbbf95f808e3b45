"""reasoning_gym_environment.py: label balance, and sampling of tasks with a gradient."""

from typing import Any

import pytest

from reasoning_gym_environment import ReasoningGymEnv
from rgenv.dataset.difficulty import band_of
from rgenv.dataset.task_sampler import SignalSampler
from rgenv.pool.pool import WorkerPool
from tests.conftest import MakeEnv
from tests.support.environments import next_items, serve_items
from tests.support.pools import PoolDouble, fixed_scores_by_task
from tests.support.replies import always

# Balance


async def shares(make_env: MakeEnv, task: str, **options: Any) -> list[float]:
    """Return the share of each reference answer in 200 items of a task."""
    env = await make_env(task_names=[task], **options)
    answers = [str(item.answer) for item in await next_items(env, 200)]
    return sorted(answers.count(answer) / 200 for answer in set(answers))


@pytest.mark.parametrize("task", ["syllogism", "circuit_logic", "course_schedule", "ransom_note"])
async def test_no_answer_is_the_answer_to_most_items(make_env: MakeEnv, task: str) -> None:
    """At most 60 % of 200 items in a row have the same reference answer."""
    assert max(await shares(make_env, task)) <= 0.6


async def test_balance_is_an_option(make_env: MakeEnv) -> None:
    """Without balance_labels, answers are as frequent as the generator makes them."""
    mostly_true = {"task_configs": {"ransom_note": {"p_solvable": 0.9}}}
    unbalanced = {"balance_labels": False, "own_pool": True, **mostly_true}
    assert max(await shares(make_env, "ransom_note", **unbalanced)) > 0.75
    assert max(await shares(make_env, "ransom_note", **mostly_true)) <= 0.6


# Sampling by signal

NO_SIGNAL, SIGNAL = [0.0] * 4, [1.0, 0.0, 1.0, 0.0]


async def signal_env(
    make_env: MakeEnv, pool: WorkerPool, scores: dict[str, list[float]], **options: Any
) -> ReasoningGymEnv:
    """Return an environment whose tasks always get these scores."""
    double = PoolDouble(pool, score=fixed_scores_by_task(scores))
    return await make_env(
        always("<answer>a</answer>"),
        pool=double,
        task_names=list(scores),
        task_sampling="signal",
        **options,
    )


async def test_tasks_whose_rewards_differ_are_preferred(
    make_env: MakeEnv, pool: WorkerPool
) -> None:
    """The others get little more than min_task_share; metrics count the informative groups."""
    scores = {"gcd": NO_SIGNAL, "lcm": SIGNAL, "products": [1.0] * 4}
    env = await signal_env(make_env, pool, scores, min_task_share=0.3)
    await serve_items(env, 60)
    env.metrics.take()
    late = [item.task for item in await serve_items(env, 100)]
    assert late.count("lcm") > 70 and late.count("gcd") >= 9 and late.count("products") >= 9
    metrics = env.metrics.take()
    share = late.count("lcm") / 100
    assert metrics["train/informative_rate"] == pytest.approx(share)
    assert metrics["train/informative_tokens"] == pytest.approx(share)
    assert metrics["train/lcm/informative_tokens"] == 1
    assert metrics["train/gcd/informative_rate"] == 0


async def test_a_task_that_the_curriculum_can_move_loses_less(
    make_env: MakeEnv, pool: WorkerPool
) -> None:
    """Groups without signal count less against a task whose level the curriculum will change."""
    chances = []
    for mode in ("curriculum", None):
        env = await signal_env(make_env, pool, {"gcd": NO_SIGNAL}, complexity_mode=mode)
        items = await serve_items(env, 3)
        sampler = SignalSampler({"gcd": 1.0}, seed=0)
        sampler.load_state_dict(env.session.source.state_dict([])["sampler"])
        chances.append(sampler.chance("gcd", band_of(items[-1].level)))
    moving, fixed = chances
    assert fixed == pytest.approx(1 / 5, abs=0.02) and moving > 0.3
