"""Compare values as JSON: ``[1, 2.0]`` is ``(1, 2)``, and 1 is not True."""

import json
import math
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any

from rgenv.tasks.programs.reading import Shown

TOLERANCE = 1e-9
"""The relative difference of floats that are equal."""
MIN_DIGITS = 6
"""Significant digits of a shorter decimal that counts if it is the rounded float."""
MAX_DIGITS = 40
"""Characters of a decimal that is compared by its digits."""


def are_equal(given: Any, right: Any, *, rounded: bool = False) -> bool:
    """Return whether two values are equal in JSON: tuples are lists, and keys are strings.

    What is not JSON equals nothing. Floats are equal if they differ by `TOLERANCE` or less, and,
    where the answer may be `rounded`, if a `Shown` one has the `MIN_DIGITS` first digits or more.
    """
    try:
        return _equal(given, right, rounded)
    except RecursionError:
        return False


def _equal(a: Any, b: Any, rounded: bool) -> bool:
    match a, b:
        case dict(), dict():
            a, b = _with_string_keys(a), _with_string_keys(b)
            return a.keys() == b.keys() and all(_equal(a[key], b[key], rounded) for key in b)
        case list() | tuple(), list() | tuple():
            return len(a) == len(b) and all(map(partial(_equal, rounded=rounded), a, b))
        case (bool() | None, _) | (_, bool() | None):
            return a is b
        case int() | float(), int() | float():
            if _close(a, b):
                return True
            return (
                rounded and isinstance(a, Shown) and isinstance(b, float) and _rounds_to(b, a.text)
            )
        case str(), str():  # also a string of numpy
            return a == b
    return False


def _with_string_keys(value: dict[Any, Any]) -> dict[str, Any]:
    return {key if type(key) is str else json.dumps(key): x for key, x in value.items()}


def _close(a: float, b: float) -> bool:
    if a == b or (a != a and b != b):  # two NaN are the same output
        return True
    if isinstance(a, int) and isinstance(b, int):
        return False
    try:
        return math.isclose(a, b, rel_tol=TOLERANCE)
    except OverflowError:  # an integer beyond the floats
        return False


def _rounds_to(number: float, text: str) -> bool:
    """Return whether `text` shows enough digits, and `number` to all of them."""
    if len(text) > MAX_DIGITS or not math.isfinite(number):
        return False
    try:
        shown = Decimal(text)
    except InvalidOperation:  # an exponent beyond all bounds
        return False
    _, digits, exponent = shown.as_tuple()
    if len(digits) < MIN_DIGITS or not isinstance(exponent, int):
        return False
    return abs(shown - Decimal(repr(number))) <= Decimal(5).scaleb(exponent - 1)
