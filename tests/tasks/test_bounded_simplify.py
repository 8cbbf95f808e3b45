"""Sympy simplifies only what may be zero."""

import pytest
import sympy

from rgenv.tasks.bounded_simplify import simplify, surely_not_zero
from rgenv.tasks.safe_parse import Rejected

ZEROS = [
    "sin(x)**2 + cos(x)**2 - 1",
    "(x + 1)**2 - x**2 - 2*x - 1",
    "log(3*x) - log(3) - log(x)",
    "(sin(x)**2 + cos(x)**2 - 1)**2",
    "x*(cosh(x)**2 - sinh(x)**2 - 1)",
    "exp(x)*exp(-x) - 1",
    "10**40*(sin(x)**2 + cos(x)**2 - 1)",
    "0.5*sin(2*x) - sin(x)*cos(x)",
    "sqrt(1 - 9*x**2)*sqrt(1 + 3*x) - sqrt(1 - 3*x)*(1 + 3*x)",
    "0.1*(x + 1) - 0.1*x - 0.1",
    "0.1*3*(x + 1)**2 - 0.3*x**2 - 0.6*x - 0.3",
]
NOT_ZEROS = [
    "x",
    "x**100",
    "x - 1000001*x/1000000",
    "sin(x) - x",
    "1000**(-x - 400)",
    "asin(5*x) - 1",
    "sqrt(-x) - 1",
    "1/10**40 + sin(x)**2 + cos(x)**2 - 1",
    "0.3334*x**2 - x**2/3",
    "Abs(x).diff(x) - 1/x",
    "x + oo",
]


@pytest.mark.parametrize("text", [*ZEROS, *NOT_ZEROS])
def test_nothing_that_is_zero_is_called_not_zero(text: str) -> None:
    assert surely_not_zero(sympy.parse_expr(text)) is (text in NOT_ZEROS)


def test_an_unsolved_integral_is_rejected() -> None:
    with pytest.raises(Rejected, match="integral"):
        simplify(sympy.parse_expr("Integral(exp(x**x), x)"))
