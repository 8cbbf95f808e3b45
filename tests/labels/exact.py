"""Exact arithmetic on fractions and polynomials, by Python's own operators."""

import re
from collections.abc import Iterable
from fractions import Fraction

import sympy

_NUMBER = re.compile(r"\d+\.?\d*(?:e-?\d+)?")


def value(text: str) -> Fraction:
    """Return the value of an expression of numbers; ZeroDivisionError: it divides by zero."""
    found = eval(_NUMBER.sub(r"Fraction('\g<0>')", text.strip()), {"Fraction": Fraction})
    return Fraction(found)


def polynomial(text: str, names: Iterable[str]) -> sympy.Poly:
    """Return an expression of numbers and the variables `names`, multiplied out."""
    symbols = {name: sympy.Symbol(name) for name in names}
    exact = _NUMBER.sub(r"Rational('\g<0>')", text.strip())
    found = eval(exact, {"Rational": sympy.Rational, **symbols})
    return sympy.Poly(found, *symbols.values(), domain="QQ")
