"""Reduce a fraction to its lowest terms."""

import math
import re
from functools import cache

from rgenv.tasks import Entry, Task, changed, moving, question_numbers, random_of, replaced
from rgenv.tasks.answers.fractions import ReducedFraction

SMALL_PRIMES = (2, 3, 5, 7, 11, 13)


def correct(entry: Entry) -> Entry:
    """Multiply by another factor: by one with a larger prime than these, where there is one.

    To divide by small primes would reduce a third of the library's fractions.
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
    factors = range(least, most + 1)
    return [n for n in factors if _without_small_primes(n) > 1] or [*factors]


def _without_small_primes(number: int) -> int:
    for prime in SMALL_PRIMES:
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
