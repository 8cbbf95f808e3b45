"""Find the antiderivative of a polynomial."""

from rgenv.tasks import Levels, Task, question_numbers
from rgenv.tasks.answers.expressions import Antiderivative
from rgenv.tasks.bounded_simplify import simplify
from rgenv.tasks.formulas import antiderivative_of
from rgenv.tasks.safe_parse import CALCULUS, parser

TASK = Task(
    answer=Antiderivative(),
    verify=antiderivative_of,
    clarify=((r"\A[^\n]*\bX\b[^\n]* dx\n", "The variable of integration is X."),),
    guarded={"sympy.parse_expr": parser(CALCULUS), "sympy.simplify": simplify},
    family=question_numbers,
    levels=Levels(knots={"min_terms": [2, 3, 4, 6, 8], "max_terms": [2, 3, 5, 7, 9]}),
)
