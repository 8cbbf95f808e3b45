"""End a command cleanly: after its work, after a signal, or after a fatal error.

The first signal cancels the work and lets `close` finish; one that comes more than a second later
ends the process at once. signals.py has what a signal does before and after that.
"""

import asyncio
import contextlib
import logging
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from rgenv.runtime.signals import SIGNALS, end_now

log = logging.getLogger(__name__)


class Signalled(SystemExit):
    """The exit of a process after a signal; its text names the signal."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self._name = signal.Signals(number).name

    def __str__(self) -> str:
        return f"signal {self._name}"


class Shutdown:
    """Handles the signals and fatal errors of one command; use it once."""

    def __init__(self) -> None:
        self._task: asyncio.Task[Any] | None = None
        self._signal: int | None = None
        self._signalled_at = 0.0
        self._error: Exception | None = None

    async def guard(
        self,
        work: Coroutine[Any, Any, None],
        close: Callable[[], Awaitable[None]],
        report: Callable[[BaseException | None], None] = lambda error: None,
    ) -> None:
        """Await `work`, then `close`, however the work ended.

        It raises SystemExit after a signal, what `work` or `close` raised, or the error of `abort`.
        `report` is called last, with that or None.
        """
        error: BaseException | None = None
        loop, self._task = asyncio.get_running_loop(), asyncio.current_task()

        def received(number: int, _: object) -> None:
            # Those within a second are one: `timeout` signals a process, and then its group.
            if self._signal is None:
                self._signal, self._signalled_at = number, time.monotonic()
                loop.call_soon_threadsafe(self._cancel, number)  # and wake a loop that waits
            elif time.monotonic() - self._signalled_at > 1:
                end_now(number, "a second signal; what was still being sent or saved is lost")

        before = {}
        with contextlib.suppress(ValueError):  # only the main thread can handle signals
            before = {number: signal.signal(number, received) for number in SIGNALS}
        try:
            try:
                await work
            except asyncio.CancelledError:
                if self._signal is None and self._error is None:
                    raise
            finally:
                self._task = None
                await close()
            if self._signal is not None:
                raise Signalled(self._signal)
            if self._error is not None:
                raise self._error
        except BaseException as raised:
            error = raised
            raise
        finally:
            for number, handler in before.items():
                signal.signal(number, handler or signal.SIG_DFL)
            report(error)

    def abort(self, error: Exception) -> None:
        """Cancel the work and make `guard` raise `error`; only the first call has an effect."""
        if self._task is not None and self._error is None:
            self._error = error
            self._task.cancel()

    def fail(self, error: Exception) -> None:
        """Make `guard` raise `error` in the end, unless it raises another one."""
        self._error = self._error or error

    def _cancel(self, number: int) -> None:
        log.warning("Signal %d: closing; a second signal ends the process at once.", number)
        if self._task is not None:
            self._task.cancel()


def say_signal(error: BaseException | None, then: str = "") -> None:
    """Print which signal ended a command, if one did, and what follows from that."""
    if isinstance(error, Signalled):
        print(f"Ended: {error}{then}.", file=sys.stderr)
