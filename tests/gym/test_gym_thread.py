"""rgenv/gym/gym_thread.py: one gym for callers in any thread and any event loop."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from rgenv.errors import PoolBroken, StartupError
from rgenv.gym import gym as gym_module
from rgenv.gym.gym_thread import GymThread
from rgenv.gym.settings import Settings
from rgenv.gym.streaming_gym import StreamingGym
from rgenv.pool.pool import WorkerPool


@pytest.fixture
def thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[GymThread]:
    """A thread whose pool has no worker: what runs in it here asks none."""

    async def start_pool(settings: Settings) -> WorkerPool:
        return WorkerPool(workers=1)

    monkeypatch.setattr(gym_module, "start_pool", start_pool)
    thread = GymThread(Settings(tasks=["gcd"]))
    yield thread
    thread.close()


async def test_a_caller_that_is_cancelled_cancels_its_work(thread: GymThread) -> None:
    """The cancellation stays one, and other calls go on; closing tells those that wait."""
    begun, ended = threading.Event(), threading.Event()

    async def work(_gym: StreamingGym) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    caller = asyncio.wrap_future(thread.submit(work))
    assert await asyncio.to_thread(begun.wait, 60)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await asyncio.to_thread(ended.wait, 60)
    assert (await asyncio.wrap_future(thread.submit(StreamingGym.state_dict)))["schema"] == 1
    waiting = asyncio.wrap_future(thread.submit(work))
    await asyncio.sleep(0)
    thread.begin_close()
    with pytest.raises(PoolBroken, match="closed"):
        await waiting


def test_a_failed_start_is_told_to_each_caller(
    thread: GymThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(settings: Settings) -> WorkerPool:
        raise StartupError("no room")

    monkeypatch.setattr(gym_module, "start_pool", fail)
    for _ in range(2):
        with pytest.raises(StartupError, match="no room"):
            thread.wait(thread.submit(StreamingGym.state_dict))
    with pytest.raises(RuntimeError, match="not started"):
        _ = thread.gym
