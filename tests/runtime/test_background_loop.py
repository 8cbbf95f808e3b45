"""rgenv/runtime/background_loop.py: one loop for callers that have many."""

import asyncio
import threading

import pytest

from rgenv.runtime.background_loop import BackgroundLoop


def test_work_of_many_loops_runs_in_one() -> None:
    """Each call comes from a loop of its own; the work sees the same one, which is none of them."""
    home = BackgroundLoop()

    async def where(_number: int) -> tuple[int, str]:
        return id(asyncio.get_running_loop()), threading.current_thread().name

    hosted = home.hosting(where)
    assert {asyncio.run(hosted(n)) for n in range(3)} == {(id(home.loop), "home loop")}


def test_locks_and_events_outlive_the_caller() -> None:
    """What one call waits for another can give, though their loops are gone in between."""
    home, ready = BackgroundLoop(), asyncio.Event()

    async def wait() -> str:
        await asyncio.wait_for(ready.wait(), 10)
        return "heard"

    async def tell() -> None:
        ready.set()

    waiting = threading.Thread(target=lambda: heard.append(asyncio.run(home.hosting(wait)())))
    heard: list[str] = []
    waiting.start()
    asyncio.run(home.hosting(tell)())
    waiting.join(10)
    assert heard == ["heard"]


def test_at_home_nothing_is_handed_over() -> None:
    """A hosted method that calls another does so directly, in the same task."""
    home = BackgroundLoop()

    async def inner() -> object:
        return asyncio.current_task()

    async def outer() -> bool:
        return await home.hosting(inner)() is asyncio.current_task()

    assert asyncio.run(home.hosting(outer)())


def test_errors_come_back() -> None:
    """The caller sees what was raised, with its type and message."""

    async def fail() -> None:
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        asyncio.run(BackgroundLoop().hosting(fail)())


def test_giving_up_reaches_the_work() -> None:
    """When the caller is cancelled, so is what it waits for."""
    home, ended = BackgroundLoop(), threading.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def impatient() -> None:
        await asyncio.wait_for(home.hosting(work)(), 0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())
    assert ended.wait(10)
