"""Run coroutines in one long-lived event loop, whichever loop or thread waits for them.

::

    background = BackgroundLoop()
    make = background.hosting(pool.make)
    asyncio.run(make("gcd", seed=7))    # each asyncio.run has a new loop; the pool has one
    asyncio.run(make("gcd", seed=8))
    background.submit(pool.make("gcd", seed=9)).result()    # from plain code
    background.stop()

Child processes, timers and locks belong to the event loop that created them. An object that has
such parts and is called through `asyncio.run`, once for each call, needs a loop that stays.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class BackgroundLoop:
    """An event loop in a daemon thread; it runs until `stop`, or until the process ends.

    Attributes:
        loop: the event loop.
        thread: its thread.
    """

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

    def hosting(
        self, method: Callable[P, Coroutine[Any, Any, T]]
    ) -> Callable[P, Coroutine[Any, Any, T]]:
        """Return a version of `method` that always runs in this loop.

        It raises what `method` raises. Cancelling it cancels `method`.
        """

        @functools.wraps(method)
        async def hosted(*args: P.args, **kwargs: P.kwargs) -> T:
            if asyncio.get_running_loop() is self.loop:
                return await method(*args, **kwargs)
            return await asyncio.wrap_future(self.submit(method(*args, **kwargs)))

        return hosted

    def stop(self) -> None:
        """Let the loop end once it has done what it was told so far; do not wait."""
        self.loop.call_soon_threadsafe(self.loop.stop)
