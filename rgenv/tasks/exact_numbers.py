"""Exact arithmetic with the operators of a question, and names of months."""

import ast
import operator
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random

Number = Callable[[str], str]

OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def exact_value(expression: str) -> Fraction:
    """Return the exact value of an expression of decimal numbers, ``+ - * /`` and brackets.

    Raises:
        KeyError, SyntaxError, ValueError: the expression is something else.
        ZeroDivisionError: it divides by zero.
    """
    return _value(ast.parse(expression.strip(), mode="eval").body, expression.strip())


def _value(node: ast.expr, text: str) -> Fraction:
    match node:
        case ast.BinOp(left=left, op=sign, right=right):
            return OPERATORS[type(sign)](_value(left, text), _value(right, text))
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            return _value(operand, text) * (-1 if isinstance(sign, ast.USub) else 1)
        case ast.Constant(value=value) if type(value) is int:
            return Fraction(value)
        case ast.Constant(value=float()):
            return Fraction(ast.get_source_segment(text, node) or "")
    raise ValueError(f"not an arithmetic expression: {text}")


MAX_TRIES = 100
"""Expressions to draw until brackets matter in one."""


def bracketed(rng: Random, terms: int, signs: Sequence[str], number: Number) -> str | None:
    """Return an expression whose brackets matter, and the order of operations; None if none does.

    `number` returns a number, given what it divides, or "".
    """
    for _ in range(MAX_TRIES):
        expression = _drawn(rng, terms, signs, number)
        value = exact_value(expression)
        if all(exact_value(other) != value for other in _misread(expression)):
            return expression
    return None


def _misread(expression: str) -> list[str]:
    """Return an expression without its brackets; if it is long, also from either end."""
    flat = re.sub(r"[()] | [()]", "", expression)
    first, *rest = flat.split(" ")
    steps = list(zip(rest[::2], rest[1::2], strict=True))
    forwards = "(" * len(steps) + first + "".join(f"{sign}{number})" for sign, number in steps)
    backwards = first + "".join(f"{sign}({number}" for sign, number in steps) + ")" * len(steps)
    return [flat, forwards, backwards] if len(steps) > 2 else [flat]


def _drawn(rng: Random, terms: int, signs: Sequence[str], number: Number) -> str:
    if terms == 1:
        return number("")
    sign = rng.choice(signs)
    first = terms - 1 if sign == "/" else rng.randrange(1, terms)
    left = _drawn(rng, first, signs, number)
    if first > 1 and (sign == "/" or rng.random() < 0.5):
        left = f"( {left} )"
    right = number(left) if sign == "/" else _drawn(rng, terms - first, signs, number)
    if terms - first > 1 and rng.random() < 0.5:
        right = f"( {right} )"
    return f"{left} {sign} {right}"


MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
MONTH = rf"(?:{'|'.join(MONTHS)})[a-z]*"
