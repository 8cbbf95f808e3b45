"""Engine: an inference server in this process that generates as many completions at a time as fit.

::

    engine = Engine(slots=64, median=1.0)
    lengths = await engine.generate(8, by="ours")   # tokens of each, once all are complete
    engine.complete, engine.cancelled["ours"]       # tokens, by what became of the request

A completion has a lognormal number of tokens and takes time for each. It waits until a slot is
free, in the order of requests. If a request is cancelled, its completions stop where they are.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import defaultdict

MEDIAN_TOKENS, LEAST_TOKENS, MOST_TOKENS = 60, 30, 600
SPREAD = 0.6
"""The standard deviation of the logarithm of a completion's length."""


class Engine:
    """Generates completions that take time.

    Args:
        slots: completions that are generated at the same time.
        median: seconds of a completion of median length.

    Attributes:
        complete: tokens of the requests that were answered.
        cancelled: tokens of those that were cancelled before, by who had asked.
        requests, cancelled_requests: their numbers.
        busy: completions that are being generated now.
    """

    def __init__(self, slots: int, median: float, seed: int = 0) -> None:
        self._pace = median / MEDIAN_TOKENS
        self._slots = asyncio.Semaphore(slots)
        self._rng = random.Random(seed)
        self.complete = 0.0
        self.cancelled: defaultdict[str, float] = defaultdict(float)
        self.requests = self.cancelled_requests = 0
        self.busy = 0
        self._busy_since = time.monotonic()
        self._slot_seconds = 0.0

    async def generate(self, count: int, by: str) -> list[int]:
        """Return the lengths of `count` completions once all of them are complete."""
        lengths = [self._length() for _ in range(count)]
        written = [0.0] * count
        self.requests += 1
        try:
            async with asyncio.TaskGroup() as group:
                for index in range(count):
                    group.create_task(self._write(lengths, written, index))
        except asyncio.CancelledError:
            self.cancelled[by] += sum(written)
            self.cancelled_requests += 1
            raise
        self.complete += sum(written)
        return lengths

    def slot_seconds(self) -> float:
        """Return the seconds for which slots were busy so far, of all slots together."""
        self._change(0)
        return self._slot_seconds

    async def _write(self, lengths: list[int], written: list[float], index: int) -> None:
        async with self._slots:
            began = time.monotonic()
            self._change(1)
            try:
                await asyncio.sleep(lengths[index] * self._pace)
                written[index] = lengths[index]
            except asyncio.CancelledError:
                written[index] = min(lengths[index], (time.monotonic() - began) / self._pace)
                raise
            finally:
                self._change(-1)

    def _change(self, by: int) -> None:
        now = time.monotonic()
        self._slot_seconds += self.busy * (now - self._busy_since)
        self._busy_since = now
        self.busy += by

    def _length(self) -> int:
        length = round(math.exp(self._rng.gauss(math.log(MEDIAN_TOKENS), SPREAD)))
        return min(MOST_TOKENS, max(LEAST_TOKENS, length))
