"""rgenv/gym/host.py: one gym in a thread, for callers anywhere."""

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest

from rgenv.errors import PoolBroken, StartupError, UnknownTask
from rgenv.gym import gym as gym_module
from rgenv.gym.host import Host, Running
from rgenv.gym.settings import Settings
from rgenv.pool.pool import WorkerPool


@pytest.fixture
def host(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    """A host whose pool has no worker: what runs on it here asks none."""

    async def start_pool(settings: Settings) -> WorkerPool:
        idle = WorkerPool(workers=1)
        starts.append(settings)
        return idle

    starts: list[Settings] = []
    monkeypatch.setattr(gym_module, "start_pool", start_pool)
    host = Host(Settings(["gcd"]))
    host.starts = starts  # type: ignore[attr-defined]
    yield host
    host.close()


async def wait_forever(_running: Running) -> None:
    await asyncio.Event().wait()


async def test_calls_from_plain_code_threads_and_loops_share_one_start(host: Host) -> None:
    """All run in the same loop, and the gym is started once."""

    async def loop_id(_running: Running) -> int:
        await asyncio.sleep(0.01)
        return id(asyncio.get_running_loop())

    seen = [await host.awaited(loop_id)]
    seen += await asyncio.gather(*(asyncio.to_thread(host.run, loop_id) for _ in range(8)))
    seen += [await asyncio.to_thread(asyncio.run, host.awaited(loop_id))]
    assert len(set(seen)) == 1 and len(host.starts) == 1  # type: ignore[attr-defined]
    assert host.running.gym.task_names == ["gcd"]


async def test_closing_ends_calls_that_wait(host: Host) -> None:
    """Waiting threads and coroutines get PoolBroken, as do later calls; the thread ends."""
    waiting = asyncio.create_task(host.awaited(wait_forever))
    blocked = asyncio.create_task(asyncio.to_thread(host.run, wait_forever))
    await asyncio.sleep(0.1)
    await asyncio.gather(host.aclose(), asyncio.to_thread(host.close))
    for call in (waiting, blocked):
        with pytest.raises(PoolBroken, match="This gym is closed"):
            await call
    with pytest.raises(PoolBroken, match="This gym is closed"):
        host.run(wait_forever)
    names = [thread.name for thread in threading.enumerate()]
    assert "background loop" not in names or host.closed


async def test_a_caller_that_is_cancelled_cancels_its_work(host: Host) -> None:
    """The cancellation stays one, and other calls go on."""
    ended = threading.Event()

    async def work(running: Running) -> None:
        try:
            await wait_forever(running)
        finally:
            ended.set()

    caller = asyncio.create_task(host.awaited(work))
    await asyncio.sleep(0.1)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await asyncio.to_thread(ended.wait, 60)
    assert (await host.awaited(Running.state_dict))["schema"] == 1


def test_a_failed_start_is_told_to_each_caller_and_tried_again(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error of the start reaches the caller; the next call starts anew."""

    async def fail(settings: Settings) -> WorkerPool:
        raise StartupError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(gym_module, "start_pool", fail)
        with pytest.raises(StartupError, match="no room"):
            host.run(Running.state_dict)
    with pytest.raises(RuntimeError, match="not started"):
        _ = host.running
    assert host.run(Running.state_dict)["schema"] == 1


def test_a_start_that_fails_after_the_pool_closes_the_pool() -> None:
    """Workers that started for a gym with an unknown task are ended."""
    broken = Host(Settings(["gdc"], workers=1))
    with pytest.raises(UnknownTask, match="gcd"):
        broken.run(Running.state_dict)
    began = time.monotonic()
    broken.close()
    assert time.monotonic() - began < 30
