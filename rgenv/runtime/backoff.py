"""One retry and one patience for the whole package.

::

    await insist(ask, seconds=1800, doing="Asking for the status", on=(OSError,), few=(Refused,))

    patience = Patience(1800)                   # where many things are tried at the same time
    patience.failed(("gcd", 7, None))           # 0.25: ask again after 0.25 s
    patience.worked(("gcd", 7, None))
    patience.exhausted                          # True once nothing has worked for 1,800 s
"""

import asyncio
import logging
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rgenv.text import describe

T = TypeVar("T")

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 10.0
"""Seconds."""

ATTEMPTS = 3
"""Failures of one thing, while others work, after which it is given up."""

REFUSALS = 5
"""Refusals after which a server is believed; a single one may concern one request, or be a proxy's.
The pauses between so many attempts of `insist` take 2 to 4 s; an engine that restarts ends answers
with errors for about one."""


def pause(failures: int) -> float:
    """Return the seconds to wait after `failures` failures in a row; they double up to a bound."""
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures - 1, 10))


class Patience:
    """Decides how long to go on with what fails, and which of several things to give up.

    If all fail, as without a server, pauses grow, and nothing is given up. What fails `ATTEMPTS`
    times while others work is given up.

    Args:
        seconds: the time without a success after which patience is exhausted.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._in_a_row = 0
        self._failing_since: float | None = None
        self._successes = 0
        self._failures: dict[Hashable, int] = {}
        self._successes_at_failure: dict[Hashable, int] = {}

    @property
    def failing_for(self) -> float:
        """Seconds since the first failure after the last success; 0 after a success."""
        return 0.0 if self._failing_since is None else time.monotonic() - self._failing_since

    @property
    def exhausted(self) -> bool:
        """Whether nothing has worked for longer than the patience."""
        return self.failing_for > self._seconds

    def worked(self, what: Hashable = None) -> None:
        """Record a success."""
        self._successes += 1
        self._in_a_row, self._failing_since = 0, None
        self._forget(what)

    def failed(self, what: Hashable = None) -> float | None:
        """Record a failure; a further one counts only if something else worked in between.

        Returns:
            Seconds to wait before the next attempt; None if this one is given up.
        """
        self._in_a_row += 1
        if self._failing_since is None:
            self._failing_since = time.monotonic()
        others_worked = self._successes_at_failure.get(what) != self._successes
        self._failures[what] = self._failures.get(what, 0) + others_worked
        self._successes_at_failure[what] = self._successes
        if self._failures[what] >= ATTEMPTS:
            self._forget(what)
            return None
        return pause(self._in_a_row)

    def _forget(self, what: Hashable) -> None:
        self._failures.pop(what, None)
        self._successes_at_failure.pop(what, None)


async def insist(
    attempt: Callable[[int], Awaitable[T]],
    *,
    on: tuple[type[BaseException], ...] = (),
    few: tuple[type[BaseException], ...] = (),
    never: tuple[type[BaseException], ...] = (),
    seconds: float | None = None,
    doing: str = "",
) -> T:
    """Return what `attempt` returns, with growing random pauses between attempts that fail.

    Pauses are random because many replicas wait for the same server.

    Args:
        attempt: receives the number of attempts before it.
        on: the exceptions after which to try again; others are raised at once.
        few: those after which to try again, but only until there were `REFUSALS` in a row.
        never: kinds of these that are raised at once.
        seconds: for all attempts together, also if the last one hangs; None: no limit.
        doing: names the attempt in the log, such as "Asking for the status"; empty: no line.

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
                except never:
                    raise
                except few as error:
                    refusals += 1
                    if refusals == REFUSALS:
                        raise
                    last = error
                except on as error:
                    refusals, last = 0, error
                failures += 1
                if failures == 1 and doing:
                    log.warning(
                        "%s failed (%s); retrying for up to %g s.", doing, describe(last), seconds
                    )
                await asyncio.sleep(random.uniform(0.5, 1) * pause(failures))
    except TimeoutError:
        if not limit.expired():
            raise
        raise last or TimeoutError(f"no answer within {seconds:g} s") from None


LONGEST_WAIT, CALM_SECONDS = 60.0, 600.0
"""Of `Pace`: the longest pause, and after how long something is forgotten."""


class Pace:
    """Lets something happen at once that is rare, and ever more slowly if it is not."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=32)

    def pause(self) -> float:
        """Note that it happens, and return the seconds to wait before it may."""
        now = time.monotonic()
        recent = sum(now - then < CALM_SECONDS for then in self._times)
        wait = min(LONGEST_WAIT, 2.0**recent) if recent else 0.0
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
