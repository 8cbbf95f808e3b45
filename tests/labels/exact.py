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
    """Return the value of an expression of numbers; ZeroDivisionError: it divides by zero."""
    return _evaluate(text.strip(), {})


def polynomial(text: str, names: Iterable[str]) -> sympy.Poly:
    """Return an expression of numbers and the variables `names`, multiplied out."""
    symbols = {name: sympy.Symbol(name) for name in names}
    return sympy.Poly(_evaluate(text.strip(), symbols), *symbols.values(), domain="QQ")


def _evaluate(text: str, names: Mapping[str, sympy.Symbol]) -> Any:
    def of(node: ast.AST) -> Any:
        match node:
            case ast.BinOp(left, operation, right):
                return _BINARY[type(operation)](of(left), of(right))
            case ast.UnaryOp(ast.USub(), operand):
                return -of(operand)
            case ast.Name(name):
                return names[name]
            case ast.Constant(int() as whole):
                return Fraction(whole)
            case ast.Constant(float()):
                return Fraction(ast.get_source_segment(text, node) or "")
        raise ValueError(f"not an expression of numbers and operators: {text!r}")

    return of(ast.parse(text, mode="eval").body)
