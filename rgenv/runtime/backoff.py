"""Pauses between attempts, and the time after which patience ends.

::

    patience = Patience(1800)
    await asyncio.sleep(pause(patience.failed()))    # 0.25 s, then 0.5 s, up to 10 s
    patience.worked()
    patience.exhausted                               # True after 1,800 s without a success
"""

from __future__ import annotations

import time

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
