"""Cheap programs, which answer many of the library's problems from what a learner reads."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction


def frequencies(words: str) -> str:
    """Compare how often letters come, not where."""
    one, other = (sorted(Counter(part).values()) for part in words.split())
    return str(one == other)


def small_divisor(words: str) -> str:
    """Return the largest common divisor up to ten."""
    numbers = [int(number) for number in words.split(",")]
    return str(max(d for d in range(1, 11) if all(number % d == 0 for number in numbers)))


def without_brackets(words: str) -> str:
    """Calculate as if no bracket were there."""
    total, product = Fraction(0), Fraction(0)
    for sign, number in re.findall(r"([+*/-]?)(-?\d+)", re.sub(r"[()]", "", words)):
        value = Fraction(number)
        if sign in ("*", "/"):
            product = product * value if sign == "*" else product / value if value else product
        else:
            total, product = total + product, -value if sign == "-" else value
    return str(total + product)


def last_number(words: str) -> str:
    """Return the last number and one, for the woman of the story."""
    return str(int(re.findall(r"\d+", words)[-1]) + 1)


PROGRAMS: Mapping[str, Callable[[str], str]] = {
    "isomorphic_strings": frequencies,
    "gcd": small_divisor,
    "basic_arithmetic": without_brackets,
    "aiw": last_number,
}
