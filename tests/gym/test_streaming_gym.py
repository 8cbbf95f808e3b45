"""rgenv/gym/streaming_gym.py: a gym with its streams, over the shared pool."""

from typing import Any

import pytest

from rgenv.errors import BadUsage
from rgenv.gym.settings import Settings
from rgenv.gym.streaming_gym import StreamingGym
from rgenv.pool.pool import WorkerPool
from rgenv.stream.difficulty import START
from tests.support.pools import PoolDouble
from tests.support.rollouts import problem


@pytest.fixture
def streams(pool: WorkerPool) -> Any:
    """Begin streams over the shared pool; each call begins them anew."""
    settings = Settings(tasks=["chain_sum", "gcd", "syllogism"], seed=7)
    return lambda: StreamingGym(settings, PoolDouble(pool))  # type: ignore[arg-type]


async def test_each_way_of_choosing_levels_has_its_own_stream(streams: Any) -> None:
    mixed, plain = streams(), streams()
    got = [await mixed.next(level) for level in (0.5, "random", 0.5, None, 0.5, "curriculum")]
    assert [p.level for p in got if p.level in (0.5, START)] == [0.5, 0.5, 0.5, START]
    assert [p for p in got if p.level == 0.5] == [await plain.next(0.5) for _ in range(3)]
    for each in (mixed, plain):
        await each.close()


async def test_parameters_that_make_no_problem_end_a_stream_at_once(pool: WorkerPool) -> None:
    settings = Settings(tasks=["gcd", "lcm"], task_configs={"gcd": {"max_numbers": 1}})
    gym = StreamingGym(settings, PoolDouble(pool))  # type: ignore[arg-type]
    for level in (None, 0.5):
        with pytest.raises(BadUsage, match=r'task_configs.gcd: {"max_numbers": 1} makes no'):
            await gym.next(level)
    await gym.close()


async def test_the_curriculum_learns_before_its_stream_begins(streams: Any) -> None:
    warm = streams()
    moved = [await warm.observe(problem(task="gcd", level=0.3), [1.0] * 8) for _ in range(4)]
    highest = max(level for level in moved if level is not None)
    assert highest > START
    levels = {p.task: p.level for p in [await warm.next("curriculum") for _ in range(12)]}
    assert levels["gcd"] == highest and levels["chain_sum"] == START
    await warm.close()


async def test_a_damaged_state_changes_nothing(
    streams: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The error says what to pass, and the streams go on; a state of other tasks is logged."""
    one = streams()
    before = await one.next(None)
    state = await one.state_dict()
    await one.load_state_dict(state)
    assert not caplog.messages
    await one.load_state_dict({**state, "tasks": ["gcd", "lcm"]})
    assert "other tasks (one of the two lacks chain_sum, lcm, syllogism)" in caplog.text
    wrong = [[], [{"level": None}], [{**state["streams"][0], "level": "hard"}]]
    damages = [{**state, "streams": each} for each in wrong]
    for damaged in ({}, {**state, "schema": 9}, [1], *damages):
        with pytest.raises(BadUsage, match="pass what state_dict\\(\\) returned"):
            await one.load_state_dict(damaged)
    assert await one.next(None) != before
    with pytest.raises(BadUsage, match="2 scores and 1 values of cut"):
        await one.observe(before, [1.0, 0.0], [True])
    await one.close()
