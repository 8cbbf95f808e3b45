"""Multiply whole numbers."""

from rgenv.tasks import Answers, Levels, Task, exact, question_numbers, spans
from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.questions import integers_in


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
