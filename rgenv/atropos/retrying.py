"""Attempts with growing pauses, as Atropos makes them.

::

    async for attempt in retrying(1800, "Asking for the status", on=UNAVAILABLE):
        with attempt:
            ...
"""

from __future__ import annotations

import logging

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type
from tenacity.stop import stop_after_delay
from tenacity.wait import wait_random_exponential

from rgenv.runtime.backoff import FIRST_PAUSE, LONGEST_PAUSE
from rgenv.text import describe

log = logging.getLogger(__name__)


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
