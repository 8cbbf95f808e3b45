"""Multiply whole numbers."""

from __future__ import annotations

from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.questions import integers_in
from rgenv.tasks.record import Answers, Levels, Task, spans
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
        knots=spans(
            terms=[(2, 2), (2, 2), (2, 3), (3, 3), (3, 4)],
            digits=[(1, 2), (2, 3), (2, 4), (2, 4), (3, 5)],
        )
    ),
)
