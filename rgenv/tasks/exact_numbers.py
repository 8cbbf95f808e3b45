"""Exact arithmetic with the operators of a question, and names of months."""

import ast
import operator
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context
from fractions import Fraction

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


def decimal_context(digits: int) -> Context:
    return Context(prec=digits, rounding=ROUND_HALF_UP)


MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
MONTH = rf"(?:{'|'.join(MONTHS)})[a-z]*"
