"""How long to wait before another attempt, and when to stop attempting.

patience = Patience(1800)
await asyncio.sleep(pause(patience.failed()))    # 0.25 s, then 0.5 s, up to 10 s
patience.worked()
patience.exhausted                               # after 1,800 s without a success

async for attempt in retrying(1800, "Asking for the status", on=UNAVAILABLE):
    with attempt:
        ...
"""

from __future__ import annotations

import logging
import time

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type
from tenacity.stop import stop_after_delay
from tenacity.wait import wait_random_exponential

from rgenv.text import describe

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 10.0
"""Seconds."""


def pause(failures: int) -> float:
    """Seconds to wait after so many failures in a row: doubled each time, up to a bound."""
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures - 1, 10))


class Patience:
    """Counts failures in a row, and how long they have been going on.

    Args:
        seconds: how long nothing may work.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._failures = 0
        self._failing_since: float | None = None

    def failed(self) -> int:
        """Hear of a failure; the number of failures in a row."""
        self._failures += 1
        if self._failing_since is None:
            self._failing_since = time.monotonic()
        return self._failures

    def worked(self) -> None:
        """Hear of a success."""
        self._failures, self._failing_since = 0, None

    @property
    def failing_for(self) -> float:
        """Seconds since the first failure after the last success."""
        return 0.0 if self._failing_since is None else time.monotonic() - self._failing_since

    @property
    def exhausted(self) -> bool:
        """Whether nothing has worked for longer than `seconds`."""
        return self.failing_for > self.seconds


def retrying(seconds: float, doing: str, *, on: tuple[type[BaseException], ...]) -> AsyncRetrying:
    """Attempts with growing random pauses, for up to `seconds`; the first failure is logged.

    Random, since many replicas wait for the same server.

    Args:
        doing: what is attempted, to begin a sentence of the log with.
        on: the exceptions after which another attempt makes sense.
    """

    def log_first(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome is not None else None
        if state.attempt_number == 1 and error is not None:
            log.warning("%s failed (%s); retrying for up to %g s.", doing, describe(error), seconds)

    return AsyncRetrying(
        stop=stop_after_delay(seconds),
        wait=wait_random_exponential(multiplier=FIRST_PAUSE, max=LONGEST_PAUSE),
        retry=retry_if_exception_type(on),
        before_sleep=log_first,
        reraise=True,
    )
