"""reasoning_gym_environment.py: which items and scores are worth learning from."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from reasoning_gym_environment import ReasoningGymEnv, ReasoningGymEnvConfig
from rgenv.dataset.difficulty import band_of
from rgenv.types import Problem, Verdict
from tests.conftest import MakeEnv


async def shares(make_env: MakeEnv, task: str, **config: Any) -> list[float]:
    """How often each answer comes in 200 items of a task."""
    env = await make_env(task_names=[task], **config)
    answers = [str((await env.get_next_item()).answer) for _ in range(200)]
    return sorted(answers.count(answer) / 200 for answer in set(answers))


@pytest.mark.parametrize("task", ["syllogism", "circuit_logic", "course_schedule", "ransom_note"])
async def test_no_answer_is_the_answer_to_most_items(make_env: MakeEnv, task: str) -> None:
    """At most 0.6 of 200 items in a row have the same."""
    assert max(await shares(make_env, task)) <= 0.6


async def test_balance_is_an_option(make_env: MakeEnv) -> None:
    """Without it answers come as often as the generator makes them: easy syllogisms mostly hold."""
    easy = {"complexity_mode": "random", "random_level_range": (0, 0)}
    assert max(await shares(make_env, "syllogism", balance_labels=False, **easy)) > 0.75
    assert max(await shares(make_env, "syllogism", **easy)) <= 0.6


async def test_balance_continues_with_the_checkpoint(make_env: MakeEnv, tmp_path: Path) -> None:
    """Items after a resume are those that would have come."""
    first = await make_env(task_names=["syllogism", "gcd"])
    for _ in range(40):
        await first.get_next_item()
    first.curr_step, first.checkpoint_dir, first.wandb_prepend = 1, str(tmp_path), "x"
    first.save_checkpoint(1)
    state = json.loads(next(tmp_path.rglob("step-1.json")).read_text())
    assert state["reasoning_gym"]["balance"]["syllogism"]
    second = await make_env(task_names=["syllogism", "gcd"])
    second.curr_step, second.checkpoint_dir, second.wandb_prepend = 1, str(tmp_path), "x"
    second.load_checkpoint()
    again = len(second._again)
    followers = [await second.get_next_item() for _ in range(30 + again)]
    assert followers[again:] == [await first.get_next_item() for _ in range(30 + again)][again:]


class Scores:
    """A pool that gives what it is told to."""

    def __init__(self, pool: Any, scores: list[float]) -> None:
        self._pool, self.scores = pool, scores

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    async def score(self, *_: object) -> list[Verdict]:
        return [Verdict(score, "scored") for score in self.scores]


@pytest.mark.parametrize(
    ("scores", "spread", "sent"),
    [
        ([0.01, 0.0, 0.01, 0.0], 0.05, [0.005] * 4),
        ([0.05, 0.0, 0.05, 0.0], 0.05, [0.05, 0.0, 0.05, 0.0]),
        ([0.01, 0.0, 0.01, 0.0], 0.0, [0.01, 0.0, 0.01, 0.0]),
    ],
)
async def test_floors_are_no_signal(
    make_env: MakeEnv, scores: list[float], spread: float, sent: list[float]
) -> None:
    """What is sent has no spread below the bound; what was scored, and `process`, keep theirs."""
    env = await make_env(
        lambda _p, n: [("<answer>a</answer>", "stop")] * n,
        task_names=["gcd"],
        min_score_spread=spread,
    )
    env._pool = Scores(env.pool, scores)
    group, _ = await env.collect_trajectories(await env.get_next_item())
    assert group["scores"] == scores
    assert (await env.postprocess_histories(group))["scores"] == sent
    env._processing = True
    assert (await env.postprocess_histories(group))["scores"] == scores


async def test_reward_and_accuracy_are_different_numbers(make_env: MakeEnv) -> None:
    """For each task and its category: what the trainer gets, and what was solved."""
    env = await make_env(lambda _p, n: [("<answer>a</answer>", "stop")] * n, task_names=["gcd"])
    env._pool = Scores(env.pool, [1.0, 0.98, 0.5, 0.0])
    await env.collect_trajectories(await env.get_next_item())
    out = env.metrics.take()
    for prefix in ("train", "train/gcd", "train/category/arithmetic"):
        assert out[f"{prefix}/accuracy"] == 0.25
        assert out[f"{prefix}/reward"] == pytest.approx(0.62)


class ByTask:
    """A pool that scores a group of a task as it is told to."""

    def __init__(self, pool: Any, scores: dict[str, list[float]]) -> None:
        self._pool, self.scores = pool, scores

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    async def score(self, item: Problem, _answers: object) -> list[Verdict]:
        return [Verdict(score, "scored") for score in self.scores[item.task]]


NO_SIGNAL, SIGNAL = [0.0] * 4, [1.0, 0.0, 1.0, 0.0]


async def run(env: ReasoningGymEnv, items: int) -> list[Problem]:
    served = []
    for _ in range(items):
        served.append(await env.get_next_item())
        await env.collect_trajectories(served[-1])
    return served


async def signal_env(make_env: MakeEnv, scores: dict[str, list[float]], **config: Any) -> Any:
    values = {"task_names": list(scores), "task_sampling": "signal", **config}
    env = await make_env(lambda _p, n: [("<answer>a</answer>", "stop")] * n, **values)
    env._pool = ByTask(env.pool, scores)
    return env


async def test_tasks_whose_rewards_differ_are_asked(make_env: MakeEnv) -> None:
    """The others get little more than their least share, and the metrics say what that bought."""
    scores = {"gcd": NO_SIGNAL, "lcm": SIGNAL, "products": [1.0] * 4}
    env = await signal_env(make_env, scores, min_task_share=0.3)
    await run(env, 60)
    env.metrics.take()
    late = [item.task for item in await run(env, 100)]
    assert late.count("lcm") > 70 and late.count("gcd") >= 9 and late.count("products") >= 9
    out = env.metrics.take()
    share = late.count("lcm") / 100
    assert out["train/informative_rate"] == pytest.approx(share)
    assert out["train/informative_tokens"] == pytest.approx(share)
    assert out["train/lcm/informative_tokens"] == 1 > out["train/gcd/informative_rate"] == 0


async def test_a_task_that_the_curriculum_is_moving_counts_less(make_env: MakeEnv) -> None:
    """All wrong above the bottom of the scale says less against a task than at the bottom."""
    chances = []
    for mode in ("curriculum", None):
        env = await signal_env(make_env, {"gcd": NO_SIGNAL}, complexity_mode=mode)
        items = await run(env, 3)
        chances.append(env._sampler.chance("gcd", band_of(items[-1].level)))
    moving, stuck = chances
    assert stuck == pytest.approx(1 / 5, abs=0.02) and moving > 0.3


async def test_signal_continues_with_the_checkpoint(make_env: MakeEnv, tmp_path: Path) -> None:
    """Tasks and levels after a resume are those that would have come."""
    scores = {"gcd": NO_SIGNAL, "lcm": SIGNAL, "products": SIGNAL}
    settings = {"complexity_mode": "random", "items_ahead": 4}
    first = await signal_env(make_env, scores, **settings)
    second = await signal_env(make_env, scores, **settings)
    for env in (first, second):
        env.curr_step, env.checkpoint_dir, env.wandb_prepend = 1, str(tmp_path), "x"
    await run(first, 40)
    first.save_checkpoint(1)
    second.load_checkpoint()
    again = await run(second, len(second._again))
    assert len(again) < 40
    ahead = [(item.task, item.level) for item in await run(first, 30)]
    assert [(item.task, item.level) for item in again + await run(second, 30)][:30] == ahead


async def test_a_checkpoint_of_another_sampling_is_taken(make_env: MakeEnv, tmp_path: Path) -> None:
    """Switching signal on for a resumed run starts to listen then; the stream goes on."""
    first = await signal_env(make_env, {"gcd": SIGNAL, "lcm": SIGNAL}, task_sampling="uniform")
    second = await signal_env(make_env, {"gcd": SIGNAL, "lcm": SIGNAL})
    for env in (first, second):
        env.curr_step, env.checkpoint_dir, env.wandb_prepend = 1, str(tmp_path), "x"
    await run(first, 10)
    first.save_checkpoint(1)
    second.load_checkpoint()
    assert second._supply.position >= 10
    await run(second, 10)


async def test_what_was_being_written_when_it_was_cancelled_is_counted(make_env: MakeEnv) -> None:
    """Atropos cancels generations when its queue is full: their tokens are gone."""
    env = await signal_env(make_env, {"gcd": SIGNAL})
    item, started = await env.get_next_item(), asyncio.Event()

    async def never(*_prompt: Any, **_request: Any) -> None:
        started.set()
        await asyncio.Event().wait()

    env._complete = never
    collecting = asyncio.create_task(env.collect_trajectories(item))
    await asyncio.wait_for(started.wait(), 10)
    collecting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await collecting
    assert env.metrics.take() == {"train/generations_cancelled": 1}


@pytest.mark.parametrize(
    ("given", "sampling"),
    [
        ({}, "uniform"),
        ({"task_weights": {"gcd": 2}}, "weighted"),
        ({"task_weights": {"gcd": 2}, "task_sampling": "signal"}, "signal"),
    ],
)
def test_weights_weigh(given: dict[str, Any], sampling: str) -> None:
    """Where there are weights, uniform means by weight; the config says so."""
    assert ReasoningGymEnvConfig(**given).task_sampling == sampling


def test_another_way_of_sampling_is_refused() -> None:
    """The message lists what there is."""
    with pytest.raises(ValueError, match="uniform, weighted or signal"):
        ReasoningGymEnvConfig(task_sampling="greedy")
