"""Decide which failed problems are asked again, and after which pause.

::

    retry = RetryPolicy(patience=1800)
    retry.failed(("gcd", 7, None))     # 0.25: ask again after 0.25 s
    retry.worked(("gcd", 7, None))
    retry.exhausted                    # True once nothing has worked for 1,800 s

If the inference server is down, every problem fails: pauses grow, and each problem is asked again.
A problem that fails while others work is given up after `ATTEMPTS` failures.
"""

from __future__ import annotations

from collections.abc import Hashable

from rgenv.runtime.backoff import Patience, pause

ATTEMPTS = 3
"""Failures of one problem, while others work, after which it is given up."""


class RetryPolicy:
    """Counts failures by problem and in a row.

    Args:
        patience: seconds without a success after which the policy is exhausted.
    """

    def __init__(self, patience: float) -> None:
        self._patience = Patience(patience)
        self._successes = 0
        self._failures: dict[Hashable, int] = {}
        self._successes_at_failure: dict[Hashable, int] = {}

    @property
    def failing_for(self) -> float:
        """Seconds since the first failure after the last success; 0 after a success."""
        return self._patience.failing_for

    @property
    def exhausted(self) -> bool:
        """Whether nothing has worked for longer than the patience."""
        return self._patience.exhausted

    def worked(self, problem: Hashable) -> None:
        """Record that a problem gave a group."""
        self._successes += 1
        self._patience.worked()
        self._forget(problem)

    def failed(self, problem: Hashable) -> float | None:
        """Record that a problem gave no group.

        Its first failure counts against it; a further one only if another problem worked in
        between.

        Returns:
            Seconds to wait before the problem is asked again; None if it is given up.
        """
        failures_in_a_row = self._patience.failed()
        others_worked = self._successes_at_failure.get(problem) != self._successes
        self._failures[problem] = self._failures.get(problem, 0) + others_worked
        self._successes_at_failure[problem] = self._successes
        if self._failures[problem] >= ATTEMPTS:
            self._forget(problem)
            return None
        return pause(failures_in_a_row)

    def _forget(self, problem: Hashable) -> None:
        self._failures.pop(problem, None)
        self._successes_at_failure.pop(problem, None)
