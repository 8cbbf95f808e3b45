"""How a command ends: by itself, by a signal, or because it makes no sense to go on.

::

    ending = Shutdown()
    await ending.guard(work(), close)     # `close` is awaited whatever happens to `work`
    ending.call_off(StartupError("…"))    # from anywhere inside: `guard` raises it, after `close`

The first SIGTERM or SIGINT ends `work` and leaves `close` its time; a second one ends the process
at once. After a signal `guard` raises SystemExit with 128 plus its number.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

log = logging.getLogger(__name__)


class Shutdown:
    """The end of one command; used once."""

    def __init__(self) -> None:
        self._task: asyncio.Task[Any] | None = None
        self._signal: int | None = None
        self._failure: Exception | None = None

    def call_off(self, error: Exception) -> None:
        """End the work; `guard` raises `error`. The first error counts."""
        if self._task is not None and self._failure is None:
            self._failure = error
            self._task.cancel()

    async def guard(
        self, work: Coroutine[Any, Any, None], close: Callable[[], Awaitable[None]]
    ) -> None:
        """Await `work`, then `close`, however the first one ended."""
        loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self._stop, number)
        try:
            await work
        except asyncio.CancelledError:
            if self._signal is None and self._failure is None:
                raise
        finally:
            self._task = None
            await close()
        if self._signal is not None:
            raise SystemExit(128 + self._signal)
        if self._failure is not None:
            raise self._failure

    def _stop(self, number: int) -> None:
        if self._signal is not None:
            os._exit(128 + number)
        self._signal = number
        log.warning("Signal %d: closing; a second one ends at once.", number)
        if self._task is not None:
            self._task.cancel()
