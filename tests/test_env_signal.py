"""reasoning_gym_environment.py: which items and scores are worth learning from."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeEnv

from rgenv.scoring import Verdict


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
