"""Exact arithmetic with the operators of a question, and names of months."""

from __future__ import annotations

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
    return evaluated(ast.parse(expression.strip(), mode="eval").body, expression.strip())


def evaluated(node: ast.expr, text: str) -> Fraction:
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](evaluated(node.left, text), evaluated(node.right, text))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -evaluated(node.operand, text)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return Fraction(ast.get_source_segment(text, node) or "")
    raise ValueError(f"not an arithmetic expression: {text}")


def decimal_context(digits: int) -> Context:
    return Context(prec=digits, rounding=ROUND_HALF_UP)


MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
MONTH = rf"(?:{'|'.join(MONTHS)})[a-z]*"
