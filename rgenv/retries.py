"""Which items are asked again after a failure, and after what pause.

::

    retries = Retries()
    retries.failed(("gcd", 7))     # 0.25: ask again after so many seconds
    retries.worked(("gcd", 7))

A server that is away fails every item, and none of them is to blame: they wait longer and longer,
and all come back. An item that fails while others work is given up after `ATTEMPTS`.
"""

from __future__ import annotations

import time
from collections.abc import Hashable

ATTEMPTS = 3
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 5.0


class Retries:
    """Counts failures by item, and in a row."""

    def __init__(self) -> None:
        self._blame: dict[Hashable, int] = {}
        self._worked_at: dict[Hashable, int] = {}
        self._worked = 0
        self._failing_since: float | None = None
        self.in_a_row = 0

    @property
    def failing_for(self) -> float:
        """Seconds since the first failure after which nothing worked."""
        return 0.0 if self._failing_since is None else time.monotonic() - self._failing_since

    def worked(self, item: Hashable) -> None:
        """An item gave a group."""
        self._worked += 1
        self.in_a_row = 0
        self._failing_since = None
        self._forget(item)

    def failed(self, item: Hashable) -> float | None:
        """An item gave none.

        Returns:
            Seconds to wait before it is asked again; None when it should not be.
        """
        self.in_a_row += 1
        self._failing_since = self._failing_since or time.monotonic()
        others_worked = self._worked_at.get(item) != self._worked
        self._blame[item] = self._blame.get(item, 0) + others_worked
        self._worked_at[item] = self._worked
        if self._blame[item] >= ATTEMPTS:
            self._forget(item)
            return None
        return float(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(self.in_a_row - 1, 10)))

    def _forget(self, item: Hashable) -> None:
        self._blame.pop(item, None)
        self._worked_at.pop(item, None)
