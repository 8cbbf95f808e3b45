"""rgenv/rollouts/concurrency.py: how many groups are under way at servers of different kinds."""

from __future__ import annotations

import heapq
import itertools
import math
import random

import pytest

from rgenv.rollouts.concurrency import Concurrency

GROUP_SIZE, LEAST = 8, 8
SECONDS_PER_TOKEN = 0.01


class SlottedEngine:
    """Generates so many completions at a time; others wait. Time is simulated.

    Attributes:
        busy: mean number of completions that were generated at a time.
    """

    def __init__(self, slots: int, *, slower_by: float = 0.0, seed: int = 0) -> None:
        self._free = [0.0] * slots
        self._slower_by = slower_by
        self._rng = random.Random(seed)

    def group(self, now: float, under_way: int) -> tuple[int, float, float]:
        """Return the longest completion of a group, when it ends, and the seconds of work."""
        pace = SECONDS_PER_TOKEN * (1 + self._slower_by * under_way)
        lengths = [round(math.exp(self._rng.gauss(5.5, 0.6))) for _ in range(GROUP_SIZE)]
        end, work = 0.0, 0.0
        for length in lengths:
            began = max(now, heapq.heappop(self._free))
            heapq.heappush(self._free, began + length * pace)
            end, work = max(end, began + length * pace), work + length * pace
        return max(lengths), end, work


def run(engine: SlottedEngine, groups: int = 3000, most: int = 1000) -> tuple[float, int]:
    """Keep as many groups under way as allowed; return the mean work at a time, and the number."""
    concurrency = Concurrency(LEAST)
    now, number = 0.0, itertools.count()
    under_way: list[tuple[float, int, float, int]] = []
    done: list[tuple[float, float]] = []
    while len(done) < groups:
        allowed = concurrency.groups(len(under_way), most)
        while len(under_way) < allowed:
            longest, end, work = engine.group(now, len(under_way))
            heapq.heappush(under_way, (end, next(number), now, longest))
            done.append((now, work))
        now, _, began, longest = heapq.heappop(under_way)
        concurrency.answered(longest, now - began)
        concurrency.groups(len(under_way) + 1, most)
    half = done[groups // 2][0]
    return sum(work for at, work in done if at >= half) / (now - half), len(under_way)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_server_with_256_slots_is_kept_busy(seed: int) -> None:
    """At least 200 of them generate, and not many more groups wait than fit."""
    busy, under_way = run(SlottedEngine(256, seed=seed))
    assert busy >= 200
    assert under_way * GROUP_SIZE <= 6 * 256


def test_a_server_that_slows_down_is_asked_no_more() -> None:
    """If each further group makes all of them slower, their number stops to grow."""
    _, under_way = run(SlottedEngine(10_000, slower_by=0.02))
    assert 20 <= under_way <= 150


def test_the_limit_of_the_servers_holds() -> None:
    """However fast they are."""
    assert run(SlottedEngine(10_000), most=30)[1] <= 30


def test_a_slow_spell_ends_at_what_is_always_allowed() -> None:
    """However slow the servers become, some groups are under way; later it grows again."""
    concurrency = Concurrency(LEAST)
    for seconds, expected in ((1.0, 100), (50.0, LEAST), (1.0, 100)):
        for _ in range(2500):
            concurrency.answered(100, seconds)
            size = concurrency.groups(under_way=concurrency.groups(0, 100), most=100)
        assert size == expected
