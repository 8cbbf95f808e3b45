"""Find the antiderivative of a polynomial."""

import re
from fractions import Fraction

from rgenv.tasks import Entry, LibraryVerifier, Task, moving, question_numbers
from rgenv.tasks.answers.expressions import Antiderivative
from rgenv.tasks.bounded_simplify import simplify
from rgenv.tasks.formulas import antiderivative_of, derivative
from rgenv.tasks.safe_parse import CALCULUS, parser

_DECIMAL = re.compile(r"(?<![\w.])\d{1,20}\.\d{1,20}(?![\w.])", re.ASCII)


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if the answer is in X, and the integrand is a number, dx."""
    meta = entry["metadata"]
    return entry if meta["variable"] in (*meta["integrand"], "x") else None


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the library's score, with decimals as they are: its floats make 3 * 4.8 not 14.4."""
    exact = _DECIMAL.sub(lambda number: f"({Fraction(number[0])})", answer)
    return antiderivative_of(exact, entry, library)


TASK = Task(
    answer=Antiderivative(),
    also_right="any antiderivative, with any or no constant",
    correct=correct,
    verify=verify,
    clarify=((r"\A[^\n]*\bX\b[^\n]* dx\n", "The variable of integration is X."),),
    guarded={"sympy.parse_expr": parser(CALCULUS), "sympy.simplify": simplify},
    faster={"algebra.simple_integration:sympy:diff": derivative},
    family=question_numbers,
    levels=moving(terms=[(2, 2), (3, 3), (4, 5), (6, 7), (8, 9)]),
)
