"""Find an antiderivative, by parts or substitution."""

import sympy

from rgenv.tasks import Entry, Task, moving, question_numbers
from rgenv.tasks.answers.expressions import Antiderivative
from rgenv.tasks.bounded_simplify import simplify
from rgenv.tasks.formulas import antiderivative_of
from rgenv.tasks.safe_parse import CALCULUS, formula, parser


def correct(entry: Entry) -> Entry | None:
    """Return the entry with a solved integral; None if sympy finds none.

    The library builds some integrands with a function of its own that is only called sin or cos.
    """
    if "Integral" not in entry["answer"]:
        return entry
    name = entry["metadata"]["variable"]
    variable = sympy.Symbol(name)
    integrand = formula(entry["metadata"]["integrand"], CALCULUS, {name: variable})
    integral = sympy.integrate(integrand, variable)
    return None if integral.has(sympy.Integral) else {**entry, "answer": f"{integral} + C"}


TASK = Task(
    answer=Antiderivative(),
    correct=correct,
    verify=antiderivative_of,
    guarded={"sympy.parse_expr": parser(CALCULUS), "sympy.simplify": simplify},
    family=question_numbers,
    slow=True,
    # The curriculum takes the kinds in the order in which the code lists them. Here they come
    # by the rules that they need: substitutions first, then more and more integrations by
    # parts.
    levels=moving(
        problem_type_weights=[
            [0.4, 0.3, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0],
            [0.0, 0.1, 0.3, 0.25, 0.15, 0.2, 0.0, 0.0],
            [0.0, 0.0, 0.3, 0.0, 0.6, 0.0, 0.1, 0.0],
            [0.0, 0.0, 0.1, 0.0, 0.7, 0.0, 0.0, 0.2],
            [0.0, 0.0, 0.0, 0.0, 0.8, 0.0, 0.0, 0.2],
        ],
        poly_degree=[(1, 3), (1, 3), (2, 4), (3, 5), (4, 6)],
        outer_constant_max=[9],
    ),
)
