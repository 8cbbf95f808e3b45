"""Multiply whole numbers."""

from rgenv.tasks import Answers, Number, Task, integers_in, moving, question_numbers


def shortcuts(question: str) -> Answers:
    return {"the first factor": str(integers_in(question)[0])}  # .09


TASK = Task(
    answer=Number(),
    shortcuts=shortcuts,
    family=question_numbers,
    levels=moving(
        terms=[(2, 2), (2, 2), (2, 3), (3, 3), (3, 4)],
        digits=[(1, 2), (2, 3), (2, 4), (2, 4), (3, 5)],
    ),
)
