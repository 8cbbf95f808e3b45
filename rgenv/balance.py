"""No label more often than others, so that always answering the same does not pay.

::

    balance = Balance()
    balance.too_many("syllogism", "Yes")    # whether one more would be too many just now
    balance.served("syllogism", "Yes")

Of any `WINDOW` items of a task in a row, `MOST` at most have the same answer, as long as the
generator gives others. Tasks whose answers hardly ever repeat never notice.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Mapping
from typing import Any

WINDOW, MOST = 20, 11


class Balance:
    """Remembers the last labels of every task."""

    def __init__(self) -> None:
        self._last: dict[str, deque[str]] = {}

    def too_many(self, task: str, answer: str | None) -> bool:
        """Whether this answer has had its share; False where the task keeps no answers."""
        return answer is not None and self._last.get(task, deque()).count(_label(answer)) >= MOST

    def served(self, task: str, answer: str | None) -> None:
        """An item with this answer is asked."""
        if answer is not None:
            self._last.setdefault(task, deque(maxlen=WINDOW - 1)).append(_label(answer))

    def state_dict(self) -> dict[str, list[str]]:
        """JSON-able: for each task its last labels, oldest first."""
        return {task: list(labels) for task, labels in self._last.items()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Remember what another instance did, and nothing else."""
        self._last = {task: deque(labels, maxlen=WINDOW - 1) for task, labels in state.items()}


def _label(answer: str) -> str:
    """Short: answers can be boards."""
    return hashlib.blake2b(answer.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
