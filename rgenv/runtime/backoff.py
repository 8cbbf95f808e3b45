"""One way to try again, and one object that knows how long nothing has worked."""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import TypeVar

from rgenv.text import describe

T = TypeVar("T")

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 10.0  # seconds

ATTEMPTS = 3
"""Failures of one thing, while others work, after which it is given up."""

REFUSALS = 5
"""Refusals in a row after which a server is believed. The pauses between them take 2 to 4 s; an
engine that restarts ends answers with errors for about one."""


def pause(failures: int) -> float:
    """Return the seconds to wait after `failures` failures in a row; they double up to a bound."""
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures - 1, 10))


class Patience:
    """Decides how long to go on with what fails, and which of several things to give up.

    What fails `ATTEMPTS` times while others work is given up; if all fail, nothing is. After so
    many `seconds` without a success, patience is `exhausted`. `in_a_row` counts all failures since.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.in_a_row = self._successes = 0
        self._failing_since: float | None = None
        self._failures: dict[Hashable, tuple[int, int]] = {}  # number, successes before the last

    @property
    def failing_for(self) -> float:
        """Seconds since the first failure after the last success; 0 after a success."""
        return 0.0 if self._failing_since is None else time.monotonic() - self._failing_since

    @property
    def exhausted(self) -> bool:
        return self.failing_for > self.seconds

    def worked(self, what: Hashable = None) -> None:
        """Record a success."""
        self._successes += 1
        self.in_a_row, self._failing_since = 0, None
        self._failures.pop(what, None)

    def failed(self, what: Hashable = None) -> float | None:
        """Record a failure; return the seconds to wait, or None if this one is given up.

        A further failure counts only if something else worked in between.
        """
        self.in_a_row += 1
        if self._failing_since is None:
            self._failing_since = time.monotonic()
        number, successes = self._failures.get(what, (0, -1))
        number += successes != self._successes
        self._failures[what] = number, self._successes
        if number >= ATTEMPTS:
            del self._failures[what]
            return None
        return pause(self.in_a_row)


async def insist(
    attempt: Callable[[], Awaitable[T]],
    *,
    on: tuple[type[BaseException], ...],
    few: tuple[type[BaseException], ...] = (),
    seconds: float,
    doing: str,
    every: float | None = None,
) -> T:
    """Return what `attempt` returns, with pauses between attempts that fail.

    The pauses grow, and are random because many replicas wait for the same server.

    Args:
        on: the exceptions after which to try again; others are raised at once.
        few: those after which to try again until there were `REFUSALS` in a row.
        seconds: for all attempts together, also if the last one hangs. Then the last exception is
            raised, or TimeoutError if there was none.
        doing: names the attempt in the log, such as "Asking for the status".
        every: seconds of each pause, where it does not grow.
    """
    failures = refusals = 0
    last: BaseException | None = None
    try:
        async with asyncio.timeout(seconds) as limit:
            while True:
                try:
                    return await attempt()
                except (*on, *few) as error:
                    last = error
                failures += 1
                refusals = refusals + 1 if isinstance(last, few) else 0
                if refusals == REFUSALS:
                    raise last
                if failures == 1:
                    why = describe(last)
                    log.warning("%s failed (%s); retrying for up to %g s.", doing, why, seconds)
                await asyncio.sleep(every or random.uniform(0.5, 1) * pause(failures))
    except TimeoutError:
        if not limit.expired():
            raise
        raise last or TimeoutError(f"no answer within {seconds:g} s") from None
