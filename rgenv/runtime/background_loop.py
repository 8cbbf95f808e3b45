"""Run coroutines in one long-lived event loop, whichever loop awaits them.

::

    background = BackgroundLoop()
    make = background.hosting(pool.make)
    asyncio.run(make("gcd", seed=7))    # each asyncio.run has a new loop; the pool has one
    asyncio.run(make("gcd", seed=8))

Child processes, timers and locks belong to the event loop that created them. An object that has
such parts and is called through `asyncio.run`, once for each call, needs a loop that stays.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class BackgroundLoop:
    """An event loop in a daemon thread; it runs until the process ends.

    Attributes:
        loop: the event loop.
    """

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, name="background loop", daemon=True).start()

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
            future = asyncio.run_coroutine_threadsafe(method(*args, **kwargs), self.loop)
            return await asyncio.wrap_future(future)

        return hosted
