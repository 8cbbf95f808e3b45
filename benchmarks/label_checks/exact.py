"""Arithmetic without rounding, for the checks.

value("1/3 + 1/6")    # Fraction(1, 2)
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

Number = Any
"""What the operators below work on: Fraction, Gaussian numbers, polynomials."""

_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.LShift: lambda a, b: Fraction(int(a) << int(b)),
    ast.RShift: lambda a, b: Fraction(int(a) >> int(b)),
    ast.Pow: lambda a, b: a ** int(b),
}


def value(text: str, names: Mapping[str, Number] | None = None) -> Number:
    """The value of an expression; raises ValueError at anything but numbers and operators."""
    return _value(ast.parse(text.strip(), mode="eval").body, text.strip(), names or {})


def _value(node: ast.AST, text: str, names: Mapping[str, Number]) -> Number:
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        sides = _value(node.left, text, names), _value(node.right, text, names)
        return _BINARY[type(node.op)](*sides)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, text, names)
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Fraction(node.value)
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        return Fraction(ast.get_source_segment(text, node) or "")
    raise ValueError(f"cannot read {text!r}")


class Polynomial:
    """A sum of coefficient times product of powers, as a dict from powers to coefficients."""

    def __init__(self, terms: Mapping[tuple[tuple[str, int], ...], Fraction]) -> None:
        self.terms = {powers: factor for powers, factor in terms.items() if factor}

    @staticmethod
    def of(number: Number) -> Polynomial:
        """A number or polynomial as a polynomial."""
        return number if isinstance(number, Polynomial) else Polynomial({(): Fraction(number)})

    @staticmethod
    def variable(name: str) -> Polynomial:
        return Polynomial({((name, 1),): Fraction(1)})

    def __add__(self, other: Number) -> Polynomial:
        terms = dict(self.terms)
        for powers, factor in Polynomial.of(other).terms.items():
            terms[powers] = terms.get(powers, Fraction(0)) + factor
        return Polynomial(terms)

    def __neg__(self) -> Polynomial:
        return self * -1

    def __sub__(self, other: Number) -> Polynomial:
        return self + Polynomial.of(other) * -1

    def __rsub__(self, other: Number) -> Polynomial:
        return Polynomial.of(other) - self

    def __mul__(self, other: Number) -> Polynomial:
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
    __hash__ = None

    def derivative(self, name: str) -> Polynomial:
        """The derivative of a polynomial in `name` alone."""
        return Polynomial(
            {
                ((name, power - 1),) if power > 1 else (): factor * power
                for powers, factor in self.terms.items()
                for _, power in powers
            }
        )

    def coefficients(self) -> list[Fraction]:
        """Of a polynomial in one variable, from the constant up."""
        by_power = {sum(p for _, p in powers): factor for powers, factor in self.terms.items()}
        return [by_power.get(n, Fraction(0)) for n in range(max(by_power, default=0) + 1)]
