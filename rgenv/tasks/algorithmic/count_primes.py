"""Count the primes of an interval."""

import math
from bisect import bisect_left, bisect_right
from functools import cache

from rgenv.tasks import Entry, Number, Task, moving, question_numbers
from rgenv.tasks.rewriting import random_of, with_solution

FARTHEST_OFF, INTERVALS = 6, 600
"""Primes beyond or below the estimate at most, and intervals among which one is chosen."""
PRIME_SHARE = 0.45
"""Of the ends, besides those that are prime by chance."""
LARGEST = 1_000_000
"""Intervals with larger numbers are left alone."""


def correct(entry: Entry) -> Entry:
    """Replace the interval by one in which estimates may be off by any number of primes.

    In a third of the library's short intervals, the estimate by the logarithm is right. Half of the
    ends are primes, so that it matters whether ends count.
    """
    meta = entry["metadata"]
    low, high = meta["difficulty"]["n"]
    if high > LARGEST:
        return entry
    rng = random_of(entry)
    primes = primes_to(high)
    found: dict[int, tuple[int, int, slice]] = {}
    for _ in range(INTERVALS):
        start = rng.randint(low, high)
        end = rng.randint(start, high)
        first, after = bisect_left(primes, start), bisect_right(primes, end)
        if first < after:
            start = primes[first] if rng.random() < PRIME_SHARE else start
            end = primes[after - 1] if rng.random() < PRIME_SHARE else end
        off = after - first - estimate(start, end)
        found.setdefault(off, (start, end, slice(first, after)))
    start, end, places = found[rng.choice([n for n in sorted(found) if abs(n) <= FARTHEST_OFF])]
    inside, old = primes[places], f" {meta['start']} and {meta['end']} "
    question = entry["question"].replace(old, f" {start} and {end} ")
    new = {"start": start, "end": end, "n": (start, end), "primes": inside}
    return with_solution(entry, question, len(inside), **new)


def estimate(start: int, end: int) -> int:
    """Return the mean of two estimates of the primes in an interval.

    One takes them to be evenly spread, the other one is the difference of x / (log x - 1).
    """
    spread = (end - start + 1) / math.log(max(start + end, 6) / 2)
    return math.floor((spread + _primes_below(end) - _primes_below(start)) / 2 + 0.5)


def _primes_below(number: int) -> float:
    return number / (math.log(number) - 1) if number > 3 else 0.0


@cache
def primes_to(limit: int) -> list[int]:
    is_prime = bytearray([0, 0]) + bytearray([1]) * max(limit - 1, 0)
    for factor in range(2, math.isqrt(limit) + 1):
        if is_prime[factor]:
            is_prime[factor * factor :: factor] = bytes(len(is_prime[factor * factor :: factor]))
    return [number for number, prime in enumerate(is_prime[: limit + 1]) if prime]


TASK = Task(
    answer=Number(unit="primes?|prime numbers?"),
    correct=correct,
    family=question_numbers,
    # In shorter ranges than these, the number of primes can be guessed.
    levels=moving(n=[(50, 1000), (100, 1400), (200, 2000), (500, 4000), (1000, 10000)]),
    prepared=("max_n",),
)
