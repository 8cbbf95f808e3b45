"""rgenv/gym/running.py: one gym in a thread, for callers anywhere."""

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from rgenv.errors import BadUsage, StartupError, UnknownTask
from rgenv.gym import gym as gym_module
from rgenv.gym.gym import Gym
from rgenv.gym.running import Host, Running
from rgenv.gym.settings import Settings
from rgenv.pool.pool import WorkerPool
from rgenv.stream.difficulty import START
from tests.support.pools import PoolDouble
from tests.support.rollouts import problem


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    """A host whose pool has no worker: what runs on it here asks none."""

    async def start_pool(settings: Settings) -> WorkerPool:
        return WorkerPool(workers=1)

    monkeypatch.setattr(gym_module, "start_pool", start_pool)
    host = Host(Settings(tasks=["gcd"]))
    yield host
    host.close()


async def test_calls_from_plain_code_threads_and_loops_share_one_start(host: Host) -> None:
    async def place(running: Running) -> tuple[asyncio.AbstractEventLoop, Gym]:
        await asyncio.sleep(0.01)
        return asyncio.get_running_loop(), running.gym

    seen = [await host.awaited(place)]
    seen += await asyncio.gather(*(asyncio.to_thread(host.run, place) for _ in range(8)))
    seen += [await asyncio.to_thread(asyncio.run, host.awaited(place))]
    assert len(set(seen)) == 1
    assert host.running.gym.task_names == ["gcd"]


async def test_a_caller_that_is_cancelled_cancels_its_work(host: Host) -> None:
    """The cancellation stays one, and other calls go on."""
    begun, ended = threading.Event(), threading.Event()

    async def work(_running: Running) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    caller = asyncio.create_task(host.awaited(work))
    assert await asyncio.to_thread(begun.wait, 60)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await asyncio.to_thread(ended.wait, 60)
    assert (await host.awaited(Running.state_dict))["schema"] == 1


def test_a_failed_start_is_told_to_each_caller_and_tried_again(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(settings: Settings) -> WorkerPool:
        raise StartupError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(gym_module, "start_pool", fail)
        with pytest.raises(StartupError, match="no room"):
            host.run(Running.state_dict)
    with pytest.raises(RuntimeError, match="not started"):
        _ = host.running
    assert host.run(Running.state_dict)["schema"] == 1


def test_an_unknown_task_is_told_before_workers_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """If only the workers know the tasks, those that have started are ended."""
    broken = Host(Settings(tasks=["gdc"], workers=1))
    with monkeypatch.context() as patched:
        patched.setattr(gym_module, "start_pool", None)
        with pytest.raises(UnknownTask, match="gcd"):
            broken.run(Running.state_dict)
    monkeypatch.setattr(gym_module, "is_measured", lambda: False)
    with pytest.raises(UnknownTask, match="gcd"):
        broken.run(Running.state_dict)
    began = time.monotonic()
    broken.close()
    assert time.monotonic() - began < 30


@pytest.fixture
def streams(pool: WorkerPool) -> Any:
    """Begin streams over the shared pool; each call begins them anew."""
    settings = Settings(tasks=["chain_sum", "gcd", "syllogism"], seed=7)
    return lambda: Running(Gym(settings, PoolDouble(pool)))  # type: ignore[arg-type]


async def test_each_way_of_choosing_levels_has_its_own_stream(streams: Any) -> None:
    mixed, plain = streams(), streams()
    got = [await mixed.next(level) for level in (0.5, "random", 0.5, None, 0.5, "curriculum")]
    assert [p.level for p in got if p.level in (0.5, START)] == [0.5, 0.5, 0.5, START]
    assert [p for p in got if p.level == 0.5] == [await plain.next(0.5) for _ in range(3)]
    for each in (mixed, plain):
        await each.close()


async def test_parameters_that_nobody_can_answer_end_a_stream_at_once(pool: WorkerPool) -> None:
    """The sentence names the task and the parameters."""
    board = {"grid_size_x": 50, "grid_size_y": 50, "difficulty": 1}
    settings = Settings(
        tasks=["gcd", "game_of_life_halting"], task_configs={"game_of_life_halting": board}
    )
    running = Running(Gym(settings, PoolDouble(pool)))  # type: ignore[arg-type]
    for level in (None, 0.5):
        with pytest.raises(BadUsage, match=r'_halting: {"grid_size_x": 50, .*sure to be right'):
            await running.next(level)
    await running.close()


async def test_the_curriculum_learns_before_its_stream_begins(streams: Any) -> None:
    """Groups of another stream move the levels, and `observe` returns the new one."""
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
