"""reasoning_gym_environment.py: what moves the level of a task."""

import pytest

from reasoning_gym_environment import ReasoningGymEnv
from rgenv.pool.pool import WorkerPool
from rgenv.types import Problem, Verdict
from tests.conftest import MakeEnv
from tests.support.pools import PoolDouble
from tests.support.replies import Solver, always

CURRICULUM = {"task_names": ["gcd"], "complexity_mode": "curriculum"}


async def level_after(env: ReasoningGymEnv, groups: int, solver: Solver | None = None) -> float:
    """Collect groups at the task's current level and return the level after them."""
    difficulty = env.session.source.difficulty
    for seed in range(groups):
        item = await env.make_item("gcd", seed, difficulty.current("gcd"))
        if solver is not None:
            solver.answer = str(item.answer)
        await env.collect_trajectories(item)
    return difficulty.current("gcd")


async def test_right_answers_raise_the_level_but_truncated_ones_do_not(make_env: MakeEnv) -> None:
    """A completion cut by length is no evidence about the model."""
    solver = Solver("yyyy", reason="length")
    env = await make_env(solver, **CURRICULUM)
    start = await level_after(env, 0)
    assert await level_after(env, 12, solver) == start
    solver.reason = "stop"
    assert await level_after(env, 12, solver) > start


async def test_truncated_completions_count_with_curriculum_counts_truncated(
    make_env: MakeEnv,
) -> None:
    """With the option, wrong completions that were cut by length lower the level."""
    counted, ignored = [
        await make_env(Solver("nnnn", "length"), curriculum_counts_truncated=on, **CURRICULUM)
        for on in (True, False)
    ]
    start = await level_after(counted, 0)
    assert await level_after(counted, 12) < start
    assert await level_after(ignored, 12) == start


@pytest.mark.parametrize(("target", "direction"), [(0.2, 1), (0.5, 0), (0.9, -1)])
async def test_the_level_moves_towards_the_target_accuracy(
    make_env: MakeEnv, target: float, direction: int
) -> None:
    """With half of the answers right, the level rises below the target and falls above it."""
    solver = Solver("ynyn")
    env = await make_env(solver, curriculum_target_accuracy=target, **CURRICULUM)
    start = await level_after(env, 0)
    moved = await level_after(env, 12, solver) - start
    assert (moved > 0) - (moved < 0) == direction


async def test_failures_of_the_verifier_move_no_level(make_env: MakeEnv, pool: WorkerPool) -> None:
    """Timeouts, crashes and errors say nothing about the model."""

    async def fail(_problem: Problem, _answers: object) -> list[Verdict]:
        return [Verdict(0.0, kind) for kind in ("timeout", "crashed", "error", "timeout")]

    double = PoolDouble(pool, score=fail)
    env = await make_env(always("<answer>1</answer>"), pool=double, **CURRICULUM)
    start = await level_after(env, 0)
    assert await level_after(env, 12) == start
    assert len(double.scored) == 12
