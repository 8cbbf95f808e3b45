"""Find the antiderivative of a polynomial."""

from rgenv.tasks import Task, moving, question_numbers
from rgenv.tasks.answers.expressions import Antiderivative
from rgenv.tasks.bounded_simplify import simplify
from rgenv.tasks.formulas import antiderivative_of, derivative
from rgenv.tasks.safe_parse import CALCULUS, parser

TASK = Task(
    answer=Antiderivative(),
    verify=antiderivative_of,
    clarify=((r"\A[^\n]*\bX\b[^\n]* dx\n", "The variable of integration is X."),),
    guarded={"sympy.parse_expr": parser(CALCULUS), "sympy.simplify": simplify},
    faster={"algebra.simple_integration:sympy:diff": derivative},
    family=question_numbers,
    levels=moving(terms=[(2, 2), (3, 3), (4, 5), (6, 7), (8, 9)]),
)
