"""Which problems are asked again after a failure, and after what pause.

::

    retry = RetryPolicy(patience=1800)
    retry.failed(("gcd", 7, None))     # 0.25: ask again after so many seconds
    retry.worked(("gcd", 7, None))
    retry.exhausted                    # nothing has worked for 1,800 s

A server that is away fails every problem, and none of them is to blame: the pauses grow, and all
come back. A problem that fails while others work is given up after `ATTEMPTS`.
"""

from __future__ import annotations

from collections.abc import Hashable

from rgenv.runtime.backoff import Patience, pause

ATTEMPTS = 3


class RetryPolicy:
    """Counts failures by problem, and in a row.

    Args:
        patience: seconds for which nothing may work.
    """

    def __init__(self, patience: float) -> None:
        self._patience = Patience(patience)
        self._blame: dict[Hashable, int] = {}
        self._worked_at: dict[Hashable, int] = {}
        self._worked = 0

    @property
    def failing_for(self) -> float:
        """Seconds since the first failure after the last success."""
        return self._patience.failing_for

    @property
    def exhausted(self) -> bool:
        """Whether nothing has worked for longer than the patience."""
        return self._patience.exhausted

    def worked(self, problem: Hashable) -> None:
        """Hear that a problem gave a group."""
        self._worked += 1
        self._patience.worked()
        self._forget(problem)

    def failed(self, problem: Hashable) -> float | None:
        """Hear that a problem gave none.

        Returns:
            Seconds to wait before it is asked again; None when it should not be.
        """
        failures = self._patience.failed()
        others_worked = self._worked_at.get(problem) != self._worked
        self._blame[problem] = self._blame.get(problem, 0) + others_worked
        self._worked_at[problem] = self._worked
        if self._blame[problem] >= ATTEMPTS:
            self._forget(problem)
            return None
        return pause(failures)

    def _forget(self, problem: Hashable) -> None:
        self._blame.pop(problem, None)
        self._worked_at.pop(problem, None)
