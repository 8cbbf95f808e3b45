"""rgenv/runtime/background_loop.py: one event loop for callers that have many."""

import asyncio
import threading
from typing import Any

import pytest

from rgenv.runtime.background_loop import BackgroundLoop, from_any_loop


class Hosted:
    """An object whose methods belong to its background loop, if it has one."""

    def __init__(self, background_loop: BackgroundLoop | None) -> None:
        self.background_loop = background_loop
        self.ready = asyncio.Event()
        self.started, self.ended = threading.Event(), threading.Event()

    @from_any_loop
    async def where(self, *args: int, **kwargs: int) -> tuple[Any, int]:
        return asyncio.get_running_loop(), sum(args) + sum(kwargs.values())

    @from_any_loop
    async def task(self) -> Any:
        return asyncio.current_task()

    @from_any_loop
    async def nested(self) -> bool:
        return await self.task() is asyncio.current_task()

    @from_any_loop
    async def set_ready(self) -> None:
        self.ready.set()

    @from_any_loop
    async def wait(self) -> str:
        self.started.set()
        try:
            await asyncio.wait_for(self.ready.wait(), 60)
        finally:
            self.ended.set()
        return "done"


def test_calls_from_many_loops_run_in_one() -> None:
    """Arguments and results are passed on, and a method calls another one in the same task."""
    background = BackgroundLoop()
    hosted = Hosted(background)
    for _ in range(2):
        assert asyncio.run(hosted.where(1, 2, more=3)) == (background.loop, 6)
        assert asyncio.run(hosted.nested())


def test_events_outlive_the_loop_of_the_caller() -> None:
    hosted = Hosted(BackgroundLoop())
    results: list[str] = []
    waiting = threading.Thread(target=lambda: results.append(asyncio.run(hosted.wait())))
    waiting.start()
    asyncio.run(hosted.set_ready())
    waiting.join(60)
    assert results == ["done"]


def test_cancelling_the_caller_cancels_the_method() -> None:
    hosted = Hosted(BackgroundLoop())

    async def cancel_after_start() -> None:
        caller = asyncio.create_task(hosted.wait())
        await asyncio.to_thread(hosted.started.wait, 60)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller

    asyncio.run(cancel_after_start())
    assert hosted.ended.wait(60)
