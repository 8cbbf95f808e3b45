"""rgenv/runtime/background_loop.py: one event loop for callers that have many."""

import asyncio
import threading

import pytest

from rgenv.runtime.background_loop import BackgroundLoop


def test_calls_from_many_loops_run_in_one() -> None:
    """Each call comes from its own loop, and all run in the background loop and its thread."""
    background = BackgroundLoop()

    async def where(_number: int) -> tuple[int, str]:
        return id(asyncio.get_running_loop()), threading.current_thread().name

    hosted = background.hosting(where)
    assert {asyncio.run(hosted(n)) for n in range(3)} == {(id(background.loop), "background loop")}


def test_events_outlive_the_loop_of_the_caller() -> None:
    """One call waits for an event that a call from another loop sets."""
    background, ready = BackgroundLoop(), asyncio.Event()

    async def wait() -> str:
        await asyncio.wait_for(ready.wait(), 60)
        return "done"

    async def set_ready() -> None:
        ready.set()

    results: list[str] = []
    waiting = threading.Thread(
        target=lambda: results.append(asyncio.run(background.hosting(wait)()))
    )
    waiting.start()
    asyncio.run(background.hosting(set_ready)())
    waiting.join(60)
    assert results == ["done"]


def test_calls_inside_the_background_loop_are_direct() -> None:
    """A hosted method awaits another hosted method in the same task."""
    background = BackgroundLoop()

    async def inner() -> object:
        return asyncio.current_task()

    async def outer() -> bool:
        return await background.hosting(inner)() is asyncio.current_task()

    assert asyncio.run(background.hosting(outer)())


def test_cancelling_the_caller_cancels_the_method() -> None:
    """A method whose caller is cancelled is cancelled in the background loop."""
    background, started, ended = BackgroundLoop(), threading.Event(), threading.Event()

    async def work() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def cancel_after_start() -> None:
        caller = asyncio.create_task(background.hosting(work)())
        await asyncio.to_thread(started.wait, 60)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller

    asyncio.run(cancel_after_start())
    assert started.is_set() and ended.wait(60)
