"""Exact arithmetic on fractions and polynomials."""

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import sympy

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.LShift: lambda a, b: Fraction(int(a) << int(b)),
    ast.RShift: lambda a, b: Fraction(int(a) >> int(b)),
    ast.Pow: lambda a, b: a ** int(b),
}


def value(text: str) -> Fraction:
    """Return the value of an expression of numbers.

    Raises:
        ValueError: the expression holds anything but numbers and operators.
        ZeroDivisionError: it divides by zero.
    """
    result: Fraction = _evaluate(text, {})
    return result


def polynomial(text: str, names: Iterable[str]) -> sympy.Poly:
    """Return an expression of numbers and the variables `names`, multiplied out.

    Raises:
        KeyError: the expression has another variable.
        ValueError: it holds anything but numbers, variables and operators.
    """
    symbols = {name: sympy.Symbol(name) for name in names}
    return sympy.Poly(_evaluate(text, symbols), *symbols.values(), domain="QQ")


def _evaluate(text: str, names: Mapping[str, sympy.Symbol]) -> Any:
    return _evaluate_node(ast.parse(text.strip(), mode="eval").body, text.strip(), names)


def _evaluate_node(node: ast.AST, text: str, names: Mapping[str, sympy.Symbol]) -> Any:
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        sides = _evaluate_node(node.left, text, names), _evaluate_node(node.right, text, names)
        return _BINARY[type(node.op)](*sides)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate_node(node.operand, text, names)
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Fraction(node.value)
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        return Fraction(ast.get_source_segment(text, node) or "")
    raise ValueError(f"not an expression of numbers and operators: {text!r}")
