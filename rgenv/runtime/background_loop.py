"""An event loop in a thread of its own, for callers whose loops come and go.

::

    home = BackgroundLoop()
    make = home.hosting(pool.make)
    asyncio.run(make("gcd", seed=7))    # another loop each time, the same pool
    asyncio.run(make("gcd", seed=8))

Child processes, timers and locks belong to the loop that made them. Whoever is driven by
`asyncio.run`, once for each call, keeps them here.
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
    """Runs until the process ends; its thread keeps nobody from leaving."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, name="home loop", daemon=True).start()

    def hosting(
        self, method: Callable[P, Coroutine[Any, Any, T]]
    ) -> Callable[P, Coroutine[Any, Any, T]]:
        """`method`, run at home whatever loop awaits it; cancelling the caller cancels it."""

        @functools.wraps(method)
        async def hosted(*args: P.args, **kwargs: P.kwargs) -> T:
            if asyncio.get_running_loop() is self.loop:
                return await method(*args, **kwargs)
            work = asyncio.run_coroutine_threadsafe(method(*args, **kwargs), self.loop)
            return await asyncio.wrap_future(work)

        return hosted
