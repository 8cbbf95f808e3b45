"""The rules of the stand-in policy: they compute the answer to a question from its text.

    >>> answer("Find the Greatest Common Divisor (GCD) of these numbers: 12, 18. Give only the GCD")
    '6'
    >>> answer("What is the meaning of life?") is None
    True

A rule sees only the question: no task name, no reference answer, no verifier.
"""

from . import arithmetic, grids, puzzles, words  # noqa: F401 - importing registers the rules
from .table import RULES

__all__ = ["SOLVED_TASKS", "answer"]

SOLVED_TASKS = tuple(sorted({rule.task for rule in RULES}))
# A question may match a pattern and still make no sense: a base of 99, a division by zero.
UNANSWERABLE = (ValueError, ArithmeticError, LookupError, RecursionError)


def answer(question: str) -> str | None:
    """Return the answer of the first rule that matches, or None if there is none."""
    for rule in RULES:
        if match := rule.pattern.search(question):
            try:
                return rule.solve(*match.groups())
            except UNANSWERABLE:
                return None
    return None
