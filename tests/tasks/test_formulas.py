"""An antiderivative is known by its derivative, however it is written.

data/examples.jsonl has forms of single ones, and what is nearly right.
"""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.tasks.formulas import antiderivative_of
from tests.support.timing import processor_seconds


def score(integrand: str, answer: str) -> float:
    metadata = {"integrand": integrand, "variable": "x"}
    entry = {"answer": "", "question": "", "metadata": metadata}
    return antiderivative_of(answer, entry, lambda text: 0.0)


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
    with processor_seconds(3):
        assert score("sin(3*x)**3*cos(3*x)", text) == 0.0
