"""Run coroutines in one long-lived event loop, whichever loop or thread waits for them.

Frameworks such as ROLL start a new event loop for each call, and child processes, timers and locks
belong to the loop that created them.
"""

import asyncio
import functools
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from rgenv.errors import PoolBroken

T = TypeVar("T")
Method = TypeVar("Method", bound=Callable[..., Coroutine[Any, Any, Any]])


class BackgroundLoop:
    """An event loop in a daemon thread; it runs until `stop`, or until the process ends."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, name="background loop", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.loop.run_forever()
        finally:
            self.loop.close()

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine in this loop; cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def stop(self) -> None:
        """Let the loop end after what it was told so far; do not wait."""
        self.loop.call_soon_threadsafe(self.loop.stop)


def from_any_loop(method: Method) -> Method:
    """Run a coroutine method in the `background_loop` of its object, unless this is None.

    PoolBroken: the object is closed, and the method neither opens nor closes it.
    """

    @functools.wraps(method)
    async def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.is_closed and method.__name__ not in ("setup", "close"):
            raise PoolBroken("The environment is closed: make another one.")
        background: BackgroundLoop | None = self.background_loop
        work = method(self, *args, **kwargs)
        if background is None or asyncio.get_running_loop() is background.loop:
            return await work
        return await asyncio.wrap_future(background.submit(work))

    return wrapped  # type: ignore[return-value]  # has the signature of `method`, which mypy can't infer
