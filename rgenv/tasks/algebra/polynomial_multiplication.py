"""Multiply polynomials."""

import re

from rgenv.tasks import Entry, LibraryVerifier, Task, moving, question_numbers
from rgenv.tasks.answers.expressions import Expression
from rgenv.tasks.safe_parse import POLYNOMIAL, parser
from rgenv.tasks.verifying import library_score


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if there is no product of brackets to expand."""
    return entry if "(" in entry["metadata"]["polynomial_expr"] else None


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the library's score for a polynomial that is expanded, with like terms collected.

    The library gives 1.0 to the product of each pair of terms, written down and not calculated.
    """
    return library_score(library, answer) if _is_collected(answer) else 0.0


def _is_collected(text: str) -> bool:
    """Return whether a text is a sum of different powers, each with one coefficient at most."""
    text = re.sub(r"\s+", "", text)
    text = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    powers = []
    for term in re.split(r"[-+]+", text.lstrip("-+")):
        factors = re.split(r"(?<!\*)\*(?!\*)", term)
        variables = [one for one in factors if re.fullmatch(r"[A-Za-z](?:\*\*\d+)?", one)]
        numbers = [one for one in factors if re.fullmatch(r"\d+(?:\.\d*)?", one)]
        letters = {variable[0] for variable in variables}
        if len(letters) + len(numbers) < len(factors) or len(numbers) > 1:
            return False
        powers.append(tuple(sorted(variables)))
    return len(set(powers)) == len(powers)


TASK = Task(
    answer=Expression(),
    also_right="any order of terms and factors, collected",
    correct=correct,
    verify=verify,
    clarify=(("", "Answer with the expanded polynomial, with like terms collected."),),
    guarded={"sp.parse_expr": parser(POLYNOMIAL)},
    family=question_numbers,
    # The curriculum multiplies ten polynomials of sixteen terms at last, whose product fills
    # pages.
    levels=moving(
        polynomials=[(2, 2), (2, 2), (2, 3), (3, 4), (3, 5)],
        terms=[(2, 3), (3, 4), (4, 5), (4, 6), (5, 7)],
        degree=[(0, 2), (0, 3), (0, 4), (0, 5), (0, 6)],
        value=[(1, 10), (1, 20), (1, 30), (1, 40), (1, 50)],
    ),
)
