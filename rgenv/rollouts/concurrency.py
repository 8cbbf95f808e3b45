"""Concurrency: how many groups the inference servers can take at a time.

Below its capacity a server takes about the same time for a token however much it is asked. Beyond
it, requests wait or slow each other down. So the number grows until a token takes `TOLERANCE` times
as long as at best, and follows that.
"""

from __future__ import annotations

TOLERANCE = 2.0
"""A server is full when a token takes this many times as long as at best."""

STEP = 0.1
"""The number changes by at most this part, once in the time that a group takes. At the start, it
doubles in that time until a server is full."""

REMEMBERED = 32
"""The time of a token is a mean over about so many requests."""


class Concurrency:
    """Learns from the time of answers; `least` groups are always allowed."""

    def __init__(self, least: int) -> None:
        self._least = float(least)
        self._size = float(least)
        self._seconds = self._tokens = 0.0
        self._answers = 0
        self._best = float("inf")
        self._in_use = False
        self._doubling = True
        self._since_change = 0

    def answered(self, longest: int, seconds: float) -> None:
        """Note the length of a request's longest completion, and what the request took."""
        kept = 1 - 1 / REMEMBERED
        self._seconds = self._seconds * kept + seconds
        self._tokens = self._tokens * kept + longest
        self._answers += 1
        if not self._tokens or self._answers < self._least:
            return
        pace = self._seconds / self._tokens
        self._best = min(self._best, pace)
        if self._doubling and pace <= TOLERANCE * self._best:
            self._size += self._in_use
            return
        self._doubling = False
        self._since_change += 1
        if self._since_change >= self._size:  # about as long as a group takes
            self._since_change = 0
            change = min(1 + STEP, max(1 - STEP, TOLERANCE * self._best / pace))
            if change < 1 or self._in_use:
                self._size = max(self._least, self._size * change)

    def groups(self, under_way: int, most: int) -> int:
        """Return how many groups may be under way, at least one.

        Args:
            under_way: how many are; while fewer are than may be, the number does not grow.
        """
        size = max(1, min(most, int(self._size)))
        self._size = min(self._size, max(most, self._least))
        self._in_use = under_way >= size - 1
        return size
