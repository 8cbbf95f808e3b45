"""What the stand-in policy knows: question text in, answer text out.

    >>> answer("Find the Greatest Common Divisor (GCD) of these numbers: 12, 18. Give only the GCD")
    '6'
    >>> answer("What is the meaning of life?") is None
    True

The rules see the question and nothing else: no task name, no expected answer, no verifier.
"""

from . import arithmetic, grids, puzzles, words  # noqa: F401  (importing fills the table)
from .table import RULES

__all__ = ["SOLVED_TASKS", "answer"]

SOLVED_TASKS = tuple(sorted({rule.task for rule in RULES}))
# A question can look right and still hold nonsense (a base of 99, a division by nothing).
NONSENSE = (ValueError, ArithmeticError, LookupError, RecursionError)


def answer(question: str) -> str | None:
    """The answer of the first rule that recognises the question; None when no rule does."""
    for rule in RULES:
        if match := rule.pattern.search(question):
            try:
                return rule.solve(*match.groups())
            except NONSENSE:
                return None
    return None
