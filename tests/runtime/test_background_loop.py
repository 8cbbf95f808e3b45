"""rgenv/runtime/background_loop.py: one event loop for callers that have many."""

import asyncio
import threading

import pytest

from rgenv.runtime.background_loop import BackgroundLoop, from_any_loop


class Hosted:
    """An object whose methods run in its background loop."""

    def __init__(self) -> None:
        self.background_loop = BackgroundLoop()
        self.started, self.ended = threading.Event(), threading.Event()

    @from_any_loop
    async def task(self, name: str, *, other: str) -> tuple[object, object, str]:
        return asyncio.get_running_loop(), asyncio.current_task(), name + other

    @from_any_loop
    async def nested(self) -> bool:
        loop, task, name = await self.task("a", other="b")
        own = asyncio.get_running_loop(), asyncio.current_task(), "ab"
        return own == (loop, task, name) and loop is self.background_loop.loop

    @from_any_loop
    async def wait(self) -> None:
        self.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()


def test_methods_of_any_caller_run_in_one_loop_and_call_each_other_in_one_task() -> None:
    hosted = Hosted()
    assert [asyncio.run(hosted.nested()) for _ in range(2)] == [True, True]


async def test_cancelling_the_caller_cancels_the_method() -> None:
    hosted = Hosted()
    caller = asyncio.create_task(hosted.wait())
    await asyncio.to_thread(hosted.started.wait, 60)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await asyncio.to_thread(hosted.ended.wait, 60)
