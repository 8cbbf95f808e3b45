"""rgenv/runtime/background_loop.py; tests/environment/test_embedded.py calls from many loops."""

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
    async def wait(self) -> None:
        self.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()


async def test_cancelling_the_caller_cancels_the_method() -> None:
    hosted = Hosted()
    caller = asyncio.create_task(hosted.wait())
    await asyncio.to_thread(hosted.started.wait, 60)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await asyncio.to_thread(hosted.ended.wait, 60)
