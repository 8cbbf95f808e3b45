"""reasoning_gym_environment.py: what moves the level of a task."""

import asyncio
from pathlib import Path

from reasoning_gym_environment import ReasoningGymEnv
from rgenv.atropos.registration import share_evidence
from tests.conftest import MakeEnv
from tests.support.replies import Solver

CURRICULUM = {"task_names": ["lcm"], "complexity_mode": "curriculum"}


def level_of(env: ReasoningGymEnv) -> float:
    return env.source.difficulty.current("lcm")


async def test_replicas_learn_from_each_other(make_env: MakeEnv, tmp_path: Path) -> None:
    solver = Solver("yyyy")
    first, second = [
        await make_env(solver, replica_id=n, num_replicas=2, **CURRICULUM) for n in range(2)
    ]
    for env in (first, second):
        share_evidence(env.source, env.config, str(tmp_path))
        await env.get_next_item()
    start = level_of(second)
    async with asyncio.timeout(300):
        while level_of(second) == start:
            item = await first.make_item("lcm", 7, level_of(first))
            solver.answer = str(item.answer)
            await first.collect_trajectories(item)
            for env in (first, second):
                await env.get_next_item()
    assert level_of(second) > start
    alone = await make_env(solver, **CURRICULUM)
    share_evidence(alone.source, alone.config, str(tmp_path / "alone"))
    await alone.get_next_item()
    assert not (tmp_path / "alone").exists()
