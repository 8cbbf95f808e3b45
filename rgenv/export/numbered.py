"""The problems of a data set: number n depends on the settings and on n alone.

So any part of a data set can be made anywhere, in any order, and again. No problem is held out for
evaluation. Small tasks may ask the same question under two numbers.
"""

import contextlib
from collections.abc import AsyncGenerator, Iterable, Sequence

from rgenv.gym.gym import Gym
from rgenv.runtime.parts import in_order
from rgenv.stream.source import try_to_make
from rgenv.stream.stream import MAX_ATTEMPTS, Stream
from rgenv.types import Problem

Numbered = tuple[int, Problem]

UNDER_WAY = 64
"""Problems that are made at the same time. More would only wait for workers."""


async def make_numbered(
    gym: Gym, levels: Sequence[float | None], numbers: Iterable[int]
) -> AsyncGenerator[Numbered, None]:
    """Make problems of the tasks and the seed of a gym; yield what could be made, in order.

    Args:
        levels: one of them for each problem; None stands for a task's default parameters, and no
            levels for a random one each.
        numbers: which problems, counted from 0.
    """
    stream = Stream(seed=gym.settings.seed, tasks=dict.fromkeys(gym.task_names, 1.0))
    calls = (_make(gym, stream, levels, n) for n in numbers)
    async with contextlib.aclosing(in_order(calls, UNDER_WAY)) as found:
        async for made in found:
            if made is not None:
                yield made


async def _make(
    gym: Gym, stream: Stream, levels: Sequence[float | None], n: int
) -> Numbered | None:
    """Make problem `n`; return None if each attempt fails."""
    task, uniform = stream.draw(n)
    if task in gym.pool.fixed_tasks:
        level = None
    else:
        level = levels[int(uniform * len(levels))] if levels else uniform
    for attempt in range(MAX_ATTEMPTS):
        seed = stream.seed(n, attempt, task)  # the log says why one could not be made
        problem = await try_to_make(gym.draw_for_training, task, seed, level, count=lambda _: None)
        if problem is not None and problem.winnable and not problem.held_out:
            return n, problem
    return None
