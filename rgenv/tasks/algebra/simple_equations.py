"""Solve a linear equation."""

import math
import re
from fractions import Fraction

from rgenv.tasks import Answers, Entry, Number, Task, moving, question_numbers
from rgenv.tasks.answers.numbers import without_name


class Unknown(Number):
    """A number, or the equation ``name = number`` for the unknown of the question."""

    def read(self, text: str, entry: Entry) -> str | None:
        return super().read(without_name(text, str(entry["metadata"].get("variable", ""))), entry)


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if the variable cancels out."""
    return entry if entry["metadata"]["variable"] in entry["metadata"]["equation"] else None


_TERM = re.compile(r"(-?) ?(\d*)\*?[a-z]\b")


def shortcuts(question: str) -> Answers:
    """Divide the right side by the factor; round down or up, by the signs of the terms."""
    left, _, right = question.rpartition(":")[2].rpartition("=")
    [(sign, factor)] = _TERM.findall(left)
    down = _TERM.sub("", left).strip().startswith("-") == (sign == "-")
    quotient = Fraction(int(right), int(f"{sign}{factor or 1}"))
    rounded, step = (math.floor(quotient), -1) if down else (math.ceil(quotient), 1)
    return {  # .55 .17 .07
        f"divide and round, {by} beyond": str(rounded + by * step) for by in range(3)
    }


TASK = Task(
    answer=Unknown(),
    correct=correct,
    shortcuts=shortcuts,
    # Without the quotients themselves, what is one beyond would be right for .36.
    kept={f"divide and round, {by} beyond": share for by, share in enumerate((0.08, 0.22, 0.5))},
    family=question_numbers,
    # The library adds up all terms, so each equation has two steps: subtract and divide. Nothing
    # but the length of these two operations can move.
    levels=moving(
        terms=[(2, 4)],
        value=[(2, 20), (10, 100), (60, 600), (300, 4000), (2000, 20000)],
        operators_weights=[[0.4, 0.4, 0.2]],
    ),
)
