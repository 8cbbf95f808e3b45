"""reasoning_gym_environment.py: what moves the level of a task."""

import time
from pathlib import Path

from reasoning_gym_environment import ReasoningGymEnv
from rgenv.atropos.registration import share_evidence
from tests.conftest import MakeEnv
from tests.support.replies import Solver

CURRICULUM = {"task_names": ["lcm"], "complexity_mode": "curriculum"}


async def level_after(env: ReasoningGymEnv, groups: int, solver: Solver | None = None) -> float:
    """Collect groups at the task's current level and return the level after them."""
    difficulty = env.session.source.difficulty
    for seed in range(groups):
        item = await env.make_item("lcm", seed, difficulty.current("lcm"))
        if solver is not None:
            solver.answer = str(item.answer)
        await env.collect_trajectories(item)
    return difficulty.current("lcm")


async def test_replicas_learn_from_each_other(make_env: MakeEnv, tmp_path: Path) -> None:
    solver = Solver("yyyy")
    first, second = [
        await make_env(solver, replica_id=n, num_replicas=2, **CURRICULUM) for n in range(2)
    ]
    for env in (first, second):
        share_evidence(env.session, env.config, str(tmp_path))
        await env.get_next_item()
    start = await level_after(second, 0)
    deadline = time.monotonic() + 300
    while await level_after(second, 0) == start and time.monotonic() < deadline:
        await level_after(first, 1, solver)
        for env in (first, second):
            await env.get_next_item()
    assert await level_after(second, 0) > start
    alone = await make_env(solver, **CURRICULUM)
    share_evidence(alone.session, alone.config, str(tmp_path / "alone"))
    await alone.get_next_item()
    assert not (tmp_path / "alone").exists()
