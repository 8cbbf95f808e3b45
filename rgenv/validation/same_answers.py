"""Whether two answers are the same, and how they are shown.

Example::

    same_answer("0.50", "1/2")    # True
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache


def same_answer(first: str, second: str) -> bool:
    """Whether two answers differ at most in case, spaces and the notation of a number."""
    return normalized(first) == normalized(second)


def nearly_equal(first: str, second: str, *, parts: int = 100) -> bool:
    """Whether two answers are numbers that differ by at most one in `parts`, as rounding may do."""
    one, other = normalized(first), normalized(second)
    if isinstance(one, str) or isinstance(other, str):
        return False
    return abs(one - other) <= abs(other) / parts


def equal_but_for_zeros(first: str, second: str) -> bool:
    """Whether two answers differ in zeros at the end of decimals, or in the noise of floats."""
    one, other = (re.sub(r"\.(\d*?)0*$", r".\1", text).rstrip(".") for text in (first, second))
    return one == other or nearly_equal(first, second, parts=10**12)


@lru_cache(maxsize=4096)
def normalized(text: str) -> str | Fraction:
    """Return the number that `text` is, or the text in lower case with single spaces."""
    words = " ".join(text.casefold().split())
    found = re.fullmatch(r"([-+]?\d{1,40}(?:\.\d{1,40})?)(/\d{1,40})?", words)
    if found is None or (found[2] and not int(found[2][1:])):
        return words
    return Fraction(found[1]) / (int(found[2][1:]) if found[2] else 1)


def level_in_words(level: float | None) -> str:
    """Return "the defaults" or, for example, "level 0.5"."""
    return "the defaults" if level is None else f"level {level:g}"


def quoted(text: str, length: int = 40) -> str:
    """Return `text` in quotes, on one line and cut to `length` characters."""
    shown = repr(text)
    return shown if len(shown) <= length else f"{shown[: length - 2]}…'"
