"""Pauses between attempts, and the time after which patience ends.

::

    patience = Patience(1800)
    await asyncio.sleep(pause(patience.failed()))    # 0.25 s, then 0.5 s, up to 10 s
    patience.worked()
    patience.exhausted                               # True after 1,800 s without a success

    await insist(ask, seconds=1800, doing="Asking for the status", on=(OSError,), few=(Refused,))
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rgenv.text import describe

T = TypeVar("T")

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


REFUSALS = 5
"""Refusals in a row after which `insist` believes a server that was asked the same before."""


async def insist(
    attempt: Callable[[int], Awaitable[T]],
    *,
    seconds: float,
    doing: str,
    on: tuple[type[BaseException], ...],
    few: tuple[type[BaseException], ...] = (),
) -> T:
    """Return what `attempt` returns, with growing random pauses between attempts that fail.

    The first failure is logged. Pauses are random because many replicas wait for the same server.

    Args:
        attempt: receives the number of attempts before it.
        seconds: for all attempts together, also if the last one hangs.
        doing: names the attempt in the log, such as "Asking for the status".
        on: the exceptions after which to try again; others are raised at once.
        few: those after which to try again, but only until there were `REFUSALS` in a row.

    Raises:
        BaseException: the last one that `attempt` raised.
        TimeoutError: it raised none, and hung.
    """
    failures = refusals = 0
    last: BaseException | None = None
    try:
        async with asyncio.timeout(seconds) as limit:
            while True:
                try:
                    return await attempt(failures)
                except few as error:
                    refusals += 1
                    if refusals == REFUSALS:
                        raise
                    last = error
                except on as error:
                    refusals, last = 0, error
                failures += 1
                if failures == 1:
                    log.warning(
                        "%s failed (%s); retrying for up to %g s.", doing, describe(last), seconds
                    )
                await asyncio.sleep(random.uniform(0, pause(failures)))
    except TimeoutError:
        if not limit.expired():
            raise
        raise last or TimeoutError(f"no answer within {seconds:g} s") from None


class Pace:
    """Lets something happen at once that is rare, and ever more slowly if it is not.

    Args:
        longest: the longest pause in seconds.
        calm: seconds after which something is forgotten.
    """

    def __init__(self, longest: float = 60.0, calm: float = 600.0) -> None:
        self._longest, self._calm = longest, calm
        self._times: deque[float] = deque(maxlen=32)

    def pause(self) -> float:
        """Note that it happens, and return the seconds to wait before it may."""
        now = time.monotonic()
        recent = sum(now - then < self._calm for then in self._times)
        wait = min(self._longest, 2.0**recent) if recent else 0.0
        self._times.append(now + wait)
        return wait


class Unanswered:
    """Measures for how long requests have been under way without an answer to any.

    ::

        with unanswered.request():      # answered, unless the block raises
            ...
        unanswered.seconds

    Requests that fail or are cancelled are no answer, and time without a request does not count.
    """

    def __init__(self) -> None:
        self._open = 0
        self._since = 0.0
        self._before = 0.0

    @property
    def seconds(self) -> float:
        """Seconds since the last answer, or the first request, in which one was under way."""
        return self._before + (time.monotonic() - self._since if self._open else 0.0)

    @contextmanager
    def request(self) -> Iterator[None]:
        """Count the block as a request, which is answered unless it raises an exception."""
        if not self._open:
            self._since = time.monotonic()
        self._open += 1
        is_answered = False
        try:
            yield
            is_answered = True
        finally:
            self._before = 0.0 if is_answered else self.seconds
            self._since = time.monotonic()
            self._open -= 1
