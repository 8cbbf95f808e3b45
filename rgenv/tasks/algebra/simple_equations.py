"""Solve a linear equation."""

import re

from rgenv.tasks import Answers, Entry, Forms, Number, Task, moving, question_numbers
from rgenv.tasks.answers.numbers import assignments, without_name
from rgenv.tasks.exact_numbers import exact_value


class Unknown(Number):
    """A number, or the equation ``name = number`` for the unknown of the question."""

    def read(self, text: str, entry: Entry) -> str | None:
        return super().read(without_name(text, str(entry["metadata"].get("variable", ""))), entry)

    def forms(self, reference: str, question: str) -> Forms:
        return super().forms(reference, question) | assignments(reference, question)


def correct(entry: Entry) -> Entry | None:
    """Solve the equation; None if the variable cancels out, or the solution is not whole."""
    left, right = entry["metadata"]["equation"].split("=")
    name = entry["metadata"]["variable"]
    at_0, at_1, at_2 = (
        exact_value(re.sub(rf"\b{name}\b", f"({x})", f"{left} - ({right})")) for x in (0, 1, 2)
    )
    slope = at_1 - at_0
    if not slope or at_2 - at_1 != slope:
        return None
    solution = -at_0 / slope
    return {**entry, "answer": str(solution)} if solution.denominator == 1 else None


def shortcuts(question: str) -> Answers:
    """Divide the right side by the coefficient, and round towards the sign of what is added."""
    left, _, right = question[-1000:].rpartition(":")[2].rpartition("=")
    coefficients = [int(value) for value in re.findall(r"(\d+)\*", left)] or [1]
    variable, constant = (bool(re.search(rf"-\s*\d+{end}", left)) for end in (r"\*", r"\b(?!\*)"))
    total, value = sum(coefficients), -int(right) if variable else int(right)
    quotient, step = (value // total, -1) if variable == constant else (-(-value // total), 1)
    return {  # .51 .30 .13 .06
        f"divide, off by {by}": str(quotient + by * step) for by in range(4)
    }


TASK = Task(
    answer=Unknown(),
    correct=correct,
    shortcuts=shortcuts,
    kept={
        "divide, off by 0": 0.03,
        "divide, off by 1": 0.06,
        "divide, off by 2": 0.18,
        "divide, off by 3": 0.4,
    },
    family=question_numbers,
    # The library adds up all terms, so each equation has two steps: subtract and divide.
    # Nothing but the length of these two operations can move.
    levels=moving(
        terms=[(2, 3)],
        value=[(2, 20), (10, 100), (60, 600), (300, 4000), (2000, 20000)],
        operators_weights=[[0.5, 0.5, 0.0]],
    ),
)
