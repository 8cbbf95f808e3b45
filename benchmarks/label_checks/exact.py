"""Exact arithmetic on fractions and polynomials.

Example::

    value("1/3 + 1/6")              # Fraction(1, 2)
    polynomial("x*(x + 2)", "x")    # a Polynomial; its coefficients() are 0, 2 and 1
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

Powers = tuple[tuple[str, int], ...]
"""Variables with their powers, sorted by name: ``(("x", 2), ("y", 1))`` is x²y."""

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


def polynomial(text: str, names: Iterable[str]) -> Polynomial:
    """Return an expression of numbers and the variables `names`, multiplied out.

    Raises:
        KeyError: the expression has another variable.
        ValueError: it holds anything but numbers, variables and operators.
    """
    return Polynomial.of(_evaluate(text, {name: Polynomial.variable(name) for name in names}))


def _evaluate(text: str, names: Mapping[str, Polynomial]) -> Any:
    return _evaluate_node(ast.parse(text.strip(), mode="eval").body, text.strip(), names)


def _evaluate_node(node: ast.AST, text: str, names: Mapping[str, Polynomial]) -> Any:
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


class Polynomial:
    """A polynomial in any number of variables, as a dict from powers to coefficients."""

    def __init__(self, terms: Mapping[Powers, Fraction]) -> None:
        self.terms = {powers: factor for powers, factor in terms.items() if factor}

    @staticmethod
    def of(number: Fraction | int | Polynomial) -> Polynomial:
        """Return a number or polynomial as a polynomial."""
        return number if isinstance(number, Polynomial) else Polynomial({(): Fraction(number)})

    @staticmethod
    def variable(name: str) -> Polynomial:
        """Return the polynomial that is a single variable."""
        return Polynomial({((name, 1),): Fraction(1)})

    def __add__(self, other: Fraction | int | Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for powers, factor in Polynomial.of(other).terms.items():
            terms[powers] = terms.get(powers, Fraction(0)) + factor
        return Polynomial(terms)

    def __neg__(self) -> Polynomial:
        return self * -1

    def __sub__(self, other: Fraction | int | Polynomial) -> Polynomial:
        return self + Polynomial.of(other) * -1

    def __rsub__(self, other: Fraction | int) -> Polynomial:
        return Polynomial.of(other) - self

    def __mul__(self, other: Fraction | int | Polynomial) -> Polynomial:
        result = Polynomial({})
        for left, a in self.terms.items():
            for right, b in Polynomial.of(other).terms.items():
                powers = dict(left)
                for name, power in right:
                    powers[name] = powers.get(name, 0) + power
                result += Polynomial({tuple(sorted(powers.items())): a * b})
        return result

    def __truediv__(self, other: Fraction) -> Polynomial:
        return self * (1 / other)

    def __pow__(self, power: int) -> Polynomial:
        result = Polynomial.of(1)
        for _ in range(power):
            result = result * self
        return result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    __radd__ = __add__
    __rmul__ = __mul__

    def derivative(self) -> Polynomial:
        """Return the derivative of a polynomial in one variable."""
        return Polynomial(
            {
                ((name, power - 1),) if power > 1 else (): factor * power
                for powers, factor in self.terms.items()
                for name, power in powers
            }
        )

    def coefficients(self) -> list[Fraction]:
        """Return the coefficients of a polynomial in one variable, from the constant term up."""
        by_power = {sum(p for _, p in powers): factor for powers, factor in self.terms.items()}
        return [by_power.get(n, Fraction(0)) for n in range(max(by_power, default=0) + 1)]
