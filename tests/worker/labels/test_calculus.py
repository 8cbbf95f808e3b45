"""Integrals are solved."""

from __future__ import annotations

import pytest
import sympy

from rgenv.worker.problem_maker import corrected
from tests.support.library import make_entry


@pytest.mark.parametrize("seed", range(10))
def test_integrals_by_parts_are_solved(seed: int) -> None:
    """The derivative of the answer is the integrand, as the question shows it."""
    weights = [0.0] * 4 + [1.0] + [0.0] * 3
    _, entry = make_entry("intermediate_integration", seed, {"problem_type_weights": weights})
    served = corrected("intermediate_integration", entry)
    assert served is not None and "Integral" not in served["answer"]
    integral = sympy.sympify(served["answer"])
    slope = sympy.diff(integral, sympy.Symbol(entry["metadata"]["variable"]))
    assert sympy.simplify(slope - sympy.sympify(entry["metadata"]["integrand"])) == 0


def test_an_integral_that_sympy_cannot_solve_is_not_served() -> None:
    """Without a solved integral there is no reference answer."""
    unsolved = {
        "question": "",
        "answer": "Integral(exp(x**4)*sin(x), x) + C",
        "metadata": {"variable": "x", "integrand": "exp(x**4)*sin(x)"},
    }
    assert corrected("intermediate_integration", unsolved) is None
