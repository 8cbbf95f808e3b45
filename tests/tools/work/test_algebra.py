"""Rules and terms counted by hand."""

from typing import Any

import pytest

from tools.work import algebra


def entry_of(answer: str = "", **metadata: Any) -> dict[str, Any]:
    return {"question": "", "answer": answer, "metadata": metadata}


@pytest.mark.parametrize(
    ("kind", "integrand", "rules"),
    [
        ("linear", "3*(6*x - 10)**4", 2),
        ("radical", "2*sqrt(3*x + 1)", 2),
        ("exponential", "3*exp(2*x + 1)", 2),
        ("exponential", "(4*x + 1)*exp(2*x**2 + x)", 3),
        ("trigonometric", "6*sin(3*x - 2)*cos(3*x - 2)", 2),
        ("trigonometric", "6*sin(3*x - 2)**3*cos(3*x - 2)", 3),
        ("log_inverse_trig", "2*log(x)", 2),
        ("log_inverse_trig", "2*atan(x)", 4),
        ("log_inverse_trig", "2*asin(3*x)", 5),
        ("cyclic", "exp(x)*sin(x)", 4),
        ("cyclic", "sin(x)*cos(x)", 2),
        ("repeated_parts", "x**4*sin(x)", 5),
        ("polynomial_exp_trig", "-3*x*exp(x)", 2),
        ("polynomial_exp_trig", "2*X**2*cos(3*X)", 5),
    ],
)
def test_rules_of_integration(kind: str, integrand: str, rules: int) -> None:
    """One rule for each substitution, each integration by parts and each inner constant."""
    name = "X" if "X" in integrand else "x"
    entry = entry_of(integrand=integrand, problem_type=kind, variable=name)
    assert algebra.intermediate_integration(entry) == rules


@pytest.mark.parametrize(
    ("polynomial", "roots", "amount"),
    [
        ("3*h + 6", [-2.0], 1 + 1),
        ("h**2 - 3*h + 2", [1.0, 2.0], 4 + 2),
        ("h**3 - 3*h**2 + 2*h", [0.0, 1.0, 2.0], 4 + 1 + 3),
        ("2*h**2 - 8", [-2.0, 2.0], 1 + 1 + 2),
        ("15*h**3", [0.0], 0 + 1 + 1),
    ],
)
def test_what_is_left_of_a_polynomial(polynomial: str, roots: list[float], amount: int) -> None:
    """A power of the unknown is split off, and a square of it is one unknown."""
    entry = entry_of(polynomial_expr=polynomial, variable="h", real_solutions=roots)
    assert algebra.polynomial_equations(entry) == amount


def test_products_of_terms() -> None:
    """Two terms by two terms are four products; their three terms by two are six more."""
    entry = entry_of(polynomial_expr="(x + 1)*(2*x - 3)*(x**2 + 4)")
    assert algebra.polynomial_multiplication(entry) == 4 + 6


def test_a_longer_division_takes_more() -> None:
    """The digits of the quotient count as often as the coefficient has digits."""
    short = algebra.simple_equations(entry_of("7", equation="3*h + 5 = 26"))
    long = algebra.simple_equations(entry_of("777", equation="333*h + 5 = 258746"))
    assert short < long


def test_fractions_are_more_work_than_terms() -> None:
    """Each fraction counts once more."""
    assert algebra.simple_integration(entry_of(integrand="6*x**3 + 20*x/9")) == 3


def test_a_division_takes_more_than_a_product() -> None:
    """A division takes eleven operations on reals, a product six, a sum two."""
    counts = [algebra.complex_arithmetic(entry_of(operation=sign)) for sign in "+*/"]
    assert counts == [2, 6, 11]
