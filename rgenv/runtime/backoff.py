"""Pauses between attempts, and the time after which attempts stop.

::

    patience = Patience(1800)
    await asyncio.sleep(pause(patience.failed()))    # 0.25 s, then 0.5 s, up to 10 s
    patience.worked()
    patience.exhausted                               # True after 1,800 s without a success

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
    """Return the seconds to wait after `failures` failures in a row.

    The pause starts at FIRST_PAUSE and doubles with each failure, up to LONGEST_PAUSE.
    """
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures - 1, 10))


class Patience:
    """Measures for how long nothing has worked.

    Args:
        seconds: the time without a success after which patience is exhausted.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._failures = 0
        self._failing_since: float | None = None

    def failed(self) -> int:
        """Record a failure and return the number of failures in a row."""
        self._failures += 1
        if self._failing_since is None:
            self._failing_since = time.monotonic()
        return self._failures

    def worked(self) -> None:
        """Record a success."""
        self._failures, self._failing_since = 0, None

    @property
    def failing_for(self) -> float:
        """Seconds since the first failure after the last success; 0 after a success."""
        return 0.0 if self._failing_since is None else time.monotonic() - self._failing_since

    @property
    def exhausted(self) -> bool:
        """Whether nothing has worked for more than `seconds`."""
        return self.failing_for > self.seconds


def retrying(seconds: float, doing: str, *, on: tuple[type[BaseException], ...]) -> AsyncRetrying:
    """Return an iterator over attempts, with growing random pauses, that ends after `seconds`.

    The first failure is logged; the last one is raised. Pauses are random because many replicas
    wait for the same server.

    Args:
        doing: names the attempt in the log, such as "Asking for the status".
        on: the exceptions after which to try again; others are raised at once.
    """

    def log_first_failure(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome is not None else None
        if state.attempt_number == 1 and error is not None:
            log.warning("%s failed (%s); retrying for up to %g s.", doing, describe(error), seconds)

    return AsyncRetrying(
        stop=stop_after_delay(seconds),
        wait=wait_random_exponential(multiplier=FIRST_PAUSE, max=LONGEST_PAUSE),
        retry=retry_if_exception_type(on),
        before_sleep=log_first_failure,
        reraise=True,
    )
