"""rgenv/tasks/formulas.py: an antiderivative is known by its derivative, however it is written."""

import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.tasks.formulas import antiderivative_of


def score(integrand: str, answer: str) -> float:
    entry = {
        "answer": "",
        "question": "",
        "metadata": {"integrand": integrand, "variable": "x"},
    }
    return antiderivative_of(answer, entry, lambda text: 0.0)


SAME = [
    ("18*sin(6*x + 5)**3*cos(6*x + 5)", "-3*cos(12*x + 10)/8 + 3*cos(24*x + 20)/32 + C"),
    ("sin(7*x)**4*cos(7*x)", "(10*sin(7*x) - 5*sin(21*x) + sin(35*x))/560"),
    ("5*sin(9*x)**5*cos(9*x)", "5*(1 - cos(18*x))**3/432 + 3"),
    ("12*sin(6*x)*cos(6*x)", "4*tan(3*x)**2/(1 + tan(3*x)**2)**2"),
    ("sin(6*x)*cos(6*x)", "-(32*cos(x)**6 - 48*cos(x)**4 + 18*cos(x)**2 - 1)**2/12"),
    ("exp(2*x)*sin(3*x)", "exp(2*x)*(2*sin(3*x) - 3*cos(3*x))/13"),
    ("1/x", "log(5*abs(x)) + k"),
    ("log(x)", "x*log(x) - x"),
    ("asin(9*x)", "x*asin(9*x) + sqrt(1 - 81*x**2)/9"),
    ("asin(90*x)", "x*asin(90*x) + sqrt(1/8100 - x**2)"),
    ("sqrt(3*x - 50)", "2*(3*x - 50)**1.5/9"),
    ("-72*x**2/5", "-4.8*x**3 + C"),
    ("7*x**3/10 + 1/5", "0.175*x**4 + .2*x"),
    ("x/3", "x**2/6 + 1e3"),
]
DIFFERENT = [
    ("18*sin(6*x + 5)**3*cos(6*x + 5)", "-3*cos(12*x + 10)/8 + 3*cos(24*x + 20)/31"),
    ("-72*x**2/5", "-4.8*x**3 + x"),
    ("-72*x**2/5", "-4.8000001*x**3"),
    ("5*x**2", "1.67*x**3"),
    ("5*x**2", "1.666666666666666667*x**3"),
    ("x", "x*sqrt(x**2)/2"),
    ("x", "x**2/2 + exp(-4000*x)"),
    ("x", "x**2/2 + x/10**100"),
    ("x", "x**2/2 + x*C"),
    ("x", "x**2/2 + oo"),
    ("x", "x**2/2 + x*(tan(x) - sin(x)/cos(x) + 10**(-100))"),
    ("cos(x)", "sin(x) + Integral(0, x)"),
    ("cos(x)", "Integral(cos(x), x)"),
    ("cos(x)", "sin(x) == sin(x)"),
    ("cos(x)", "(sin(x), 1)"),
    ("cos(x)", "about sin(x)"),
]


@pytest.mark.parametrize(("integrand", "answer"), SAME)
def test_any_form_of_an_antiderivative_is_right(integrand: str, answer: str) -> None:
    assert score(integrand, answer) == 1.0


@pytest.mark.parametrize(("integrand", "answer"), DIFFERENT)
def test_anything_else_is_wrong(integrand: str, answer: str) -> None:
    """What is nearly right, right for some x only, or right after rounding."""
    assert score(integrand, answer) == 0.0


@settings(max_examples=30)
@given(st.integers(1, 9), st.integers(-9, 9), st.integers(1, 5), st.integers(-1, 1))
def test_powers_of_sines_may_be_sums_of_multiples(a: int, b: int, n: int, off: int) -> None:
    """By the binomial theorem for exponentials; one unit off in one coefficient is wrong."""
    m = n + 1
    terms = (
        f"({(-1) ** k * math.comb(m, k) + (off if k == 0 else 0)})"
        f"*cos({m - 2 * k}*({a}*x + {b}) - {m}*pi/2)"
        for k in range(m + 1)
    )
    answer = f"({' + '.join(terms)})/{2**m * a * m}"
    assert score(f"sin({a}*x + {b})**{n}*cos({a}*x + {b})", answer) == float(off == 0)


HOSTILE = [
    "(x + 1)**40*(x + 2)**40*(x - 3)**40/(x**40 + 1)",
    "+".join(f"exp(sin({n}*x))**7" for n in range(40)),
    "sin(10**600*x) + cos(10**600*x)**40",
    "(a + b + c + d + f + g + x)**40",
    "sqrt(sqrt(sqrt(x**40 + 1)**39 + 1)**39 + 1)",
    "tan(1/x)**40*tan(x**40)**40",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_formula_takes_a_moment(text: str) -> None:
    began = time.process_time()
    assert score("sin(3*x)**3*cos(3*x)", text) == 0.0
    assert time.process_time() - began < 3
