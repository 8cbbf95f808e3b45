"""Find the antiderivative of a polynomial."""

from typing import Any

import sympy

from rgenv.tasks import Task, moving, question_numbers
from rgenv.tasks.answers.expressions import Antiderivative
from rgenv.tasks.bounded_simplify import simplify
from rgenv.tasks.formulas import antiderivative_of
from rgenv.tasks.safe_parse import CALCULUS, parser


def derivative(formula: Any, x: Any) -> Any:
    """Return what sympy.diff returns, which asks much of each term of a polynomial."""
    terms = []
    for term in sympy.Add.make_args(formula):
        factor, power = term.as_coeff_Mul()
        base, exponent = power.as_base_exp()
        if not factor.is_Rational or not exponent.is_Integer or not (base.is_Symbol or base == 1):
            return _derivative(formula, x)
        if base == x:
            terms.append(factor * exponent * x ** (exponent - 1))
    return sympy.Add(*terms)


_derivative = sympy.diff  # the library's name for it is replaced

TASK = Task(
    answer=Antiderivative(),
    verify=antiderivative_of,
    clarify=((r"\A[^\n]*\bX\b[^\n]* dx\n", "The variable of integration is X."),),
    guarded={"sympy.parse_expr": parser(CALCULUS), "sympy.simplify": simplify},
    faster={"algebra.simple_integration:sympy:diff": derivative},
    family=question_numbers,
    levels=moving(terms=[(2, 2), (3, 3), (4, 5), (6, 7), (8, 9)]),
)
