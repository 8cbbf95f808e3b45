"""Reduce a fraction to its lowest terms."""

import math
import re
from collections.abc import Sequence
from functools import cache

from rgenv.tasks import Entry, Task, changed, moving, question_numbers, random_of, replaced
from rgenv.tasks.answers.fractions import ReducedFraction

SMALLEST_PRIMES = (2, 3, 5, 7, 11, 13)
SMALL_PRIMES = (*SMALLEST_PRIMES, 17, 19, 23, 29, 31)
MANY = 20


def correct(entry: Entry) -> Entry:
    """Multiply by another factor: by a small prime and a larger one, where there are many such.

    Where there are few, one prime is larger than the smallest ones. To divide by those would reduce
    a third of the library's fractions.
    """
    meta, old = entry["metadata"], entry["answer"]
    above, below = meta["numerator"], meta["denominator"]
    factor = random_of(entry).choice(_factors(*meta["difficulty"]["factor"]))
    common = math.gcd(above, below)
    top, bottom = above // common, below // common
    shown, new = _fraction(old, above, below), _fraction(old, top * factor, bottom * factor)
    return changed(
        entry,
        replaced(entry["question"], shown, new),
        _fraction(old, top, bottom),
        numerator=top * factor,
        denominator=bottom * factor,
        simplified_numerator=top,
        simplified_denominator=bottom,
        reduction_factor=factor,
        factor=factor,
    )


@cache
def _factors(least: int, most: int) -> list[int]:
    """Return the factors to draw from, up to the double of the largest if few are smaller."""
    for largest in (most, 2 * most):
        factors = range(least, largest + 1)
        mixed = [n for n in factors if 1 < _without(SMALL_PRIMES, n) < n]
        if len(mixed) > MANY:
            return mixed
    factors = range(least, most + 1)
    return [n for n in factors if _without(SMALLEST_PRIMES, n) > 1] or [*factors]


def _without(primes: Sequence[int], number: int) -> int:
    for prime in primes:
        while number % prime == 0:
            number //= prime
    return number


def _fraction(style: str, above: int, below: int) -> str:
    """Return a fraction in the style of another one."""
    numbers = iter((above, below))
    return re.sub(r"\d+", lambda _: str(next(numbers)), style)


TASK = Task(
    answer=ReducedFraction(),
    correct=correct,
    family=question_numbers,
    levels=moving(
        factor=[(2, 9), (3, 32), (10, 100), (30, 300), (100, 1000)],
        value=[(2, 40), (8, 120), (60, 900), (400, 6000), (3000, 40000)],
    ),
)
