"""reasoning_gym_environment.py: what moves the level of a task."""

import asyncio
from pathlib import Path

from tests.conftest import MakeEnv
from tests.support.replies import Solver


async def test_replicas_learn_from_each_other(make_env: MakeEnv, tmp_path: Path) -> None:
    """Through files in the folder of the checkpoints; one that is alone writes none."""
    solver = Solver("yyyy")
    curriculum = {"task_names": ["lcm"], "complexity_mode": "curriculum"}
    first, second = [
        await make_env(solver, replica_id=n, num_replicas=2, **curriculum) for n in range(2)
    ]
    alone = await make_env(solver, **curriculum)
    for env, folder in ((first, "both"), (second, "both"), (alone, "alone")):
        env.checkpoint_dir = str(tmp_path / folder)
        env._share_evidence()
        await env.get_next_item()
    level = second.source.difficulty
    start = level.current("lcm")
    async with asyncio.timeout(300):
        while level.current("lcm") == start:
            item = await first.make_item("lcm", 7, first.source.difficulty.current("lcm"))
            solver.answer = str(item.answer)
            await first.collect_trajectories(item)
            for env in (first, second):
                await env.get_next_item()
    assert level.current("lcm") > start and not (tmp_path / "alone").exists()
