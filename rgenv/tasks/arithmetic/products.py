"""Multiply whole numbers."""

from __future__ import annotations

from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.questions import integers_in
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.symmetries import question_numbers
from rgenv.tasks.verifying import exact


def shortcuts(question: str) -> Answers:
    """Answer with a factor."""
    return {"the first factor": str(integers_in(question)[0])}  # .09


TASK = Task(
    answer=Number(),
    verify=exact,
    shortcuts=shortcuts,
    family=question_numbers,
    levels=Levels(
        knots={
            "min_terms": [2, 2, 2, 3, 3],
            "max_terms": [2, 2, 3, 3, 4],
            "min_digits": [1, 2, 2, 2, 3],
            "max_digits": [2, 3, 4, 4, 5],
        }
    ),
)
