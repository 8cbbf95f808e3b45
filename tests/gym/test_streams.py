"""rgenv/gym/streams.py: a stream for each way of choosing levels."""

from typing import Any

import pytest

from rgenv.dataset.difficulty import START
from rgenv.errors import BadUsage
from rgenv.gym.gym import Gym
from rgenv.gym.settings import Settings
from rgenv.gym.streams import Streams
from rgenv.pool.pool import WorkerPool
from tests.support.rollouts import problem

SETTINGS = Settings(["chain_sum", "gcd", "syllogism"], seed=7)


@pytest.fixture
def streams(pool: WorkerPool) -> Any:
    """Begin streams over the shared pool; each call begins them anew."""
    return lambda: Streams(Gym(SETTINGS, pool).new_source)


async def test_each_way_of_choosing_levels_has_its_own_stream(streams: Any) -> None:
    """A stream goes on where it stopped, whatever was asked of the others meanwhile."""
    mixed, plain = streams(), streams()
    got = [await mixed.next(level) for level in (0.5, "random", 0.5, None, 0.5, "curriculum")]
    assert [p.level for p in got if p.level in (0.5, START)] == [0.5, 0.5, 0.5, START]
    assert [p for p in got if p.level == 0.5] == [await plain.next(0.5) for _ in range(3)]
    for each in (mixed, plain):
        await each.close()


async def test_the_curriculum_learns_before_its_stream_begins(streams: Any) -> None:
    """Groups of another stream move the levels, and `observe` returns the new one."""
    warm = streams()
    moved = [warm.observe(problem(task="gcd", level=0.3), [1.0] * 8) for _ in range(4)]
    highest = max(level for level in moved if level is not None)
    assert highest > START
    levels = {p.task: p.level for p in [await warm.next("curriculum") for _ in range(12)]}
    assert levels["gcd"] == highest and levels["chain_sum"] == START
    await warm.close()


async def test_a_damaged_state_changes_nothing(streams: Any) -> None:
    """The error says what to pass, and the streams go on."""
    one = streams()
    before = await one.next(None)
    state = one.state_dict()
    for damaged in ({}, {**state, "schema": 9}, {**state, "streams": [{"level": None}]}, [1]):
        with pytest.raises(BadUsage, match="pass what state_dict\\(\\) returned"):
            await one.load_state_dict(damaged)
    assert await one.next(None) != before
    with pytest.raises(BadUsage, match="2 scores and 1 values of cut"):
        one.observe(before, [1.0, 0.0], [True])
    await one.close()
