"""Read values as JSON or as Python writes them, and compare them: ``[1, 2.0]`` is ``(1, 2)``."""

from __future__ import annotations

import ast
import json
import math
import warnings
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any

from rgenv.tasks.answers.json_values import without_duplicates

MISSING: Any = object()
"""Stands for the value of a text that can't be read. It equals nothing."""
MAX_TEXT = 60_000
"""Characters of a text that is read as Python."""
TOLERANCE = 1e-9
"""The relative difference of floats that are equal."""
MIN_DIGITS = 6
"""Significant digits of a shorter decimal that counts if it is the rounded float."""
MAX_DIGITS = 40
"""Characters of a decimal that is compared by its digits."""
_CONSTANTS = {
    **{"true": True, "false": False, "null": None},
    **{"NaN": math.nan, "nan": math.nan, "Infinity": math.inf, "inf": math.inf},
}


class Shown(float):
    """A float with the text that it was read from."""

    text: str

    def __new__(cls, text: str) -> Shown:
        number = super().__new__(cls, text)
        number.text = text
        return number


def read_value(text: str) -> Any:
    """Return the value of a text, with its floats as `Shown`, or `MISSING` if it can't be read.

    It can't if a key comes twice in an object. Nothing is executed.
    """
    try:
        return json.loads(text, object_pairs_hook=without_duplicates, parse_float=Shown)
    except RecursionError:
        return MISSING
    except ValueError:  # also for an integer of more than 4,300 digits
        return _read_python(text)


def _read_python(text: str) -> Any:
    if len(text) > MAX_TEXT or ("#" in text and "\n" in text):  # a comment may be prose
        return MISSING
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes, and `1if` in odd texts
            tree = ast.parse(text.strip(), mode="eval").body
        end = tree.end_lineno, tree.end_col_offset
        lines = text.strip().split("\n")
        return _value(tree) if end == (len(lines), len(lines[-1].encode())) else MISSING
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return MISSING


def _value(node: ast.expr) -> Any:
    """Return the value of a literal; raise ValueError or TypeError for anything else."""
    match node:
        case ast.Constant(value=bool() | int() | str() | None as value):
            return value
        case ast.Constant(value=float(value)) if math.isfinite(value):
            return Shown(repr(value))
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() | ast.Name()):
            operand = _value(node.operand)
            if isinstance(operand, int | float) and not isinstance(operand, bool):
                return Shown(f"-{operand.text}") if isinstance(operand, Shown) else -operand
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item) for item in items]
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            return without_duplicates([(_key(_value(k)), _value(v)) for k, v in pairs if k])
    raise ValueError("not a value")


def _key(value: Any) -> str:
    if isinstance(value, list | dict):
        raise TypeError("not a key of JSON")
    return value if isinstance(value, str) else json.dumps(value)


def are_equal(given: Any, right: Any, *, rounded: bool = False) -> bool:
    """Return whether two values are equal in JSON: tuples are lists, keys are strings, 1 not True.

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
            if rounded and isinstance(a, Shown) and isinstance(b, float):
                return _close(a, b) or _rounds_to(b, a.text)
            return _close(a, b)
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
