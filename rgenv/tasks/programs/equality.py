"""Compare values as JSON.

Example::

    are_equal({"b": [1, 2.0], "a": None}, {"a": None, "b": (1, 2)})    # True
    are_equal(1, True)                                                 # False
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
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

    Floats are equal if they differ by `TOLERANCE` or less.

    Args:
        given: any object; what is not JSON equals nothing.
        right: a value that can be written as JSON.
        rounded: whether a `Shown` float of `MIN_DIGITS` digits or more also equals what rounds to
            it.
    """
    try:
        return _equal(given, right, _close_or_rounded if rounded else _close)
    except RecursionError:
        return False


def _equal(a: Any, b: Any, close: Callable[[Any, Any], bool]) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        a, b = _with_string_keys(a), _with_string_keys(b)
        return a.keys() == b.keys() and all(_equal(a[key], b[key], close) for key in b)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(_equal(x, y, close) for x, y in zip(a, b, strict=True))
    if _is_number(a) and _is_number(b):
        return close(a, b)
    if isinstance(a, str) and isinstance(b, str):  # also a string of numpy
        return a == b
    return (a is None or isinstance(a, bool)) and type(a) is type(b) and a == b


def _with_string_keys(value: dict[Any, Any]) -> dict[str, Any]:
    """Return `value` with its keys as JSON writes them."""
    if all(type(key) is str for key in value):
        return value
    return {key if type(key) is str else json.dumps(key): x for key, x in value.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _close(a: float, b: float) -> bool:
    if a == b or (a != a and b != b):  # two NaN are the same output
        return True
    if isinstance(a, int) and isinstance(b, int):
        return False
    try:
        return math.isclose(a, b, rel_tol=TOLERANCE)
    except OverflowError:  # an integer beyond the floats
        return False


def _close_or_rounded(a: float, b: float) -> bool:
    return _close(a, b) or (isinstance(a, Shown) and isinstance(b, float) and _rounds_to(b, a.text))


def _rounds_to(number: float, text: str) -> bool:
    """Return whether `text` shows enough digits, and `number` to all of them."""
    if len(text) > MAX_DIGITS or not math.isfinite(number):
        return False
    try:
        shown = Decimal(text)
    except InvalidOperation:
        return False
    _, digits, exponent = shown.as_tuple()
    if len(digits) < MIN_DIGITS or not isinstance(exponent, int):
        return False
    half_a_unit = Decimal(5).scaleb(exponent - 1)
    return abs(shown - Decimal(repr(number))) <= half_a_unit
