"""Drive an environment as Atropos does: ask for groups, register, resume."""

from pathlib import Path
from typing import Any

from reasoning_gym_environment import ReasoningGymEnv
from rgenv.types import Problem
from tests.support.replies import Solver


async def collect(env: ReasoningGymEnv, solver: Solver) -> tuple[Problem, Any]:
    """Return a problem of gcd and its group, with right answers as `solver` gives them."""
    item = await env.make_item("gcd", 7)
    solver.answer = str(item.answer)
    group, backlog = await env.collect_trajectories(item)
    assert backlog == []
    return item, group


async def next_group(env: ReasoningGymEnv) -> tuple[Any, Problem]:
    """Return a group as it is sent, and its problem, which is the next of the stream."""
    item = await env.get_next_item()
    group, _ = await env.collect_trajectories(item)
    return await env.postprocess_histories(group), item


async def next_items(env: ReasoningGymEnv, count: int) -> list[Problem]:
    """Return the next problems of the stream, without asking for groups."""
    return [await env.get_next_item() for _ in range(count)]


def place_in_run(env: ReasoningGymEnv, folder: Path, *, step: int) -> None:
    """Set what registering sets: where checkpoints are, and the current step."""
    env.checkpoint_dir, env.wandb_prepend, env.curr_step = str(folder), "e_0", step


def capture_metrics(env: ReasoningGymEnv) -> dict[str, Any]:
    """Return a dict that is updated with the metrics of each `wandb_log`."""
    logged: dict[str, Any] = {}
    perf_stats = env.perf_stats

    def capture(metrics: dict[str, Any]) -> dict[str, Any]:
        complete = perf_stats(metrics)
        logged.update(complete)
        return complete

    env.perf_stats = capture
    return logged
