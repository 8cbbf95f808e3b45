"""Work in algebra: operations on reals, terms, roots, and rules of integration.

Example::

    intermediate_integration(entry)    # 5.0 for x**4*sin(x): four times by parts, and one more
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from rgenv.tasks.entry import Entry

_REAL_OPERATIONS = {"+": 2.0, "-": 2.0, "*": 6.0, "/": 11.0}
"""Operations on reals that one operation on complex numbers takes."""


def complex_arithmetic(entry: Entry) -> float:
    """Return the operations on reals."""
    return _REAL_OPERATIONS[entry["metadata"]["operation"]]


def simple_equations(entry: Entry) -> float:
    """Return the digits written to subtract the constant and to divide by the coefficient.

    The library adds up all terms, so that every equation has two steps. Only their length differs.
    """
    left, right = entry["metadata"]["equation"].split("=")
    numbers = [len(digits) for digits in re.findall(r"\d+", left)]
    quotient = len(str(entry["answer"]).lstrip("-"))
    return float(
        len(re.findall(r"\d", right)) + max(numbers[1:], default=0) + quotient * numbers[0]
    )


def polynomial_equations(entry: Entry) -> float:
    """Return the square of the degree that is left after x**k is split off, plus the real roots.

    A polynomial in x**2 counts as one of half its degree.
    """
    exponents = _exponents(entry["metadata"]["polynomial_expr"], entry["metadata"]["variable"])
    lowest = min(exponents)
    step = math.gcd(*(exponent - lowest for exponent in exponents)) or 1
    degree = (max(exponents) - lowest) // step
    shortened = (lowest > 0) + (step > 1)
    return float(degree**2 + shortened + len(entry["metadata"]["real_solutions"]))


def polynomial_multiplication(entry: Entry) -> float:
    """Return the products of two terms, if the polynomials are multiplied from left to right."""
    polynomials = re.findall(r"\(([^()]*)\)", entry["metadata"]["polynomial_expr"])
    factors = []
    for polynomial in polynomials:
        name = re.search("[a-z]", polynomial)
        factors.append(set(_exponents(polynomial, name[0] if name else "x")))
    work, partial = 0, factors[0] if factors else set()
    for exponents in factors[1:]:
        work += len(partial) * len(exponents)
        partial = {a + b for a in partial for b in exponents}
    return float(work)


def _exponents(polynomial: str, variable: str) -> list[int]:
    """Return the exponent of each term of a polynomial such as "3*x**2 - x + 1"."""
    terms = re.split(r" [-+] ", polynomial.strip().lstrip("-"))
    powers = [re.search(rf"{variable}(?:\*\*(\d+))?", term) for term in terms]
    return [int(power[1] or 1) if power else 0 for power in powers]


def simple_integration(entry: Entry) -> float:
    """Return the terms to integrate, and one more for each fraction."""
    integrand = entry["metadata"]["integrand"]
    return float(len(re.split(r" [-+] ", integrand)) + integrand.count("/"))


def intermediate_integration(entry: Entry) -> float:
    """Return the rules to apply: substitutions, integrations by parts, powers, constants."""
    integrand = entry["metadata"]["integrand"]
    kind = entry["metadata"]["problem_type"]
    degree = _exponents(integrand.split("*exp")[0], entry["metadata"]["variable"])[0]
    inner = float(bool(re.search(r"(?:sin|cos|tan)\(\d", integrand)))  # a constant to divide by
    if kind in ("linear", "radical"):
        return 2.0  # substitute, raise the power
    if kind == "exponential":
        return 3.0 if "**2" in integrand else 2.0
    if kind == "trigonometric":
        return 2.0 + (")**" in integrand)
    if kind == "log_inverse_trig":
        return 2.0 if "log" in integrand else 4.0 + inner
    if kind == "cyclic":
        return 4.0 if "exp" in integrand else 2.0
    return 1.0 + degree * (1.0 + inner)  # by parts, once for each power of x


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "complex_arithmetic": complex_arithmetic,
    "intermediate_integration": intermediate_integration,
    "polynomial_equations": polynomial_equations,
    "polynomial_multiplication": polynomial_multiplication,
    "simple_equations": simple_equations,
    "simple_integration": simple_integration,
}
