"""Intervals whose primes have to be counted."""

from collections import Counter
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.algorithmic.count_primes import correct as count_primes
from rgenv.tasks.algorithmic.count_primes import estimate, primes_to
from tests.worker.labels.surfaces.served import LEVELS, served


@given(st.integers(0, 2000))
def test_primes_have_no_divisors(limit: int) -> None:
    """The primes up to a limit are the numbers that no smaller one from 2 on divides."""
    expected = [n for n in range(2, limit + 1) if all(n % d for d in range(2, int(n**0.5) + 1))]
    assert list(primes_to(limit)) == expected


@pytest.mark.parametrize("level", LEVELS)
def test_no_estimate_is_often_right(level: float | None) -> None:
    """The answer counts the primes of the interval shown; its distance to estimates varies."""
    entries = served(count_primes, "count_primes", level, 300)
    distances: Counter[int] = Counter()
    others: Counter[int] = Counter()
    for entry in entries:
        words = entry["question"].split()
        start, end = int(words[words.index("between") + 1]), int(words[words.index("and") + 1])
        low, high = entry["metadata"]["difficulty"]["n"]
        assert low <= start <= end <= high
        assert (start, end) == (entry["metadata"]["start"], entry["metadata"]["end"])
        primes = [n for n in primes_to(high) if start <= n <= end]
        assert entry["metadata"]["primes"] == primes and entry["answer"] == str(len(primes))
        distances[len(primes) - estimate(start, end)] += 1
        others[len(primes) - round(sum(1 / log(n) for n in range(max(start, 2), end + 1)))] += 1
    assert max(distances.values()) < 0.22 * len(entries)
    assert max(others.values()) < 0.22 * len(entries)


def test_large_intervals_stay() -> None:
    """An interval beyond the sieve is the library's."""
    entry = {"question": "", "answer": "", "metadata": {"difficulty": {"n": (1, 10**9)}}}
    assert count_primes(entry) is entry
