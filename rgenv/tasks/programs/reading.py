"""Read values as JSON or as Python writes them, without executing anything."""

from __future__ import annotations

import ast
import json
import math
import warnings
from typing import Any

from rgenv.tasks.answers.json_values import without_duplicates

MISSING: Any = object()
"""Stands for the value of a text that can't be read."""
MAX_TEXT = 60_000
"""Characters of a text that is read as Python."""
_CONSTANTS = {"true": True, "false": False, "null": None}
_NOT_FINITE = {"NaN": math.nan, "nan": math.nan, "Infinity": math.inf, "inf": math.inf}


class Shown(float):
    """A float with the text that it was read from."""

    text: str

    def __new__(cls, text: str) -> Shown:
        number = super().__new__(cls, text)
        number.text = text
        return number


def read_value(text: str, *, finite: bool = True) -> Any:
    """Return the value of a text, with its floats as `Shown`, or `MISSING` if it can't be read.

    It can't if a key comes twice in an object, or if `finite` and it has ``NaN`` or ``Infinity``.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=without_duplicates,
            parse_float=Shown,
            parse_constant=_refuse if finite else float,
        )
    except RecursionError:
        return MISSING
    except ValueError:  # also for an integer of more than 4,300 digits
        return _read_python(text, _CONSTANTS if finite else {**_CONSTANTS, **_NOT_FINITE})


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _read_python(text: str, constants: dict[str, Any]) -> Any:
    if len(text) > MAX_TEXT or ("#" in text and "\n" in text):  # a comment may be prose
        return MISSING
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes, and `1if` in odd texts
            tree = ast.parse(text.strip(), mode="eval").body
        end = tree.end_lineno, tree.end_col_offset
        lines = text.strip().split("\n")
        if end != (len(lines), len(lines[-1].encode())):
            return MISSING
        return _value(tree, constants)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return MISSING


def _value(node: ast.expr, constants: dict[str, Any]) -> Any:
    """Return the value of a literal; raise ValueError or TypeError for anything else."""
    match node:
        case ast.Constant(value=bool() | int() | str() | None as value):
            return value
        case ast.Constant(value=float(value)) if math.isfinite(value):
            return Shown(repr(value))
        case ast.Name(id=name) if name in constants:
            return constants[name]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() | ast.Name()):
            operand = _value(node.operand, constants)
            if isinstance(operand, int | float) and not isinstance(operand, bool):
                return Shown(f"-{operand.text}") if isinstance(operand, Shown) else -operand
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, constants) for item in items]
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            return without_duplicates(
                [(_key(_value(k, constants)), _value(v, constants)) for k, v in pairs if k]
            )
    raise ValueError("not a value")


def _key(value: Any) -> str:
    if isinstance(value, list | dict):
        raise TypeError("not a key of JSON")
    return value if isinstance(value, str) else json.dumps(value)
