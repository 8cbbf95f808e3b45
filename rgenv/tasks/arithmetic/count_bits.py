"""Count the 1 bits of a number."""

from rgenv.tasks import Answers, Number, Task, integers_in, moving, question_numbers


def shortcuts(question: str) -> Answers:
    return {"count the decimal digits": str(len(str(integers_in(question)[-1])))}  # .14


TASK = Task(
    answer=Number(unit="bits?|ones"),
    shortcuts=shortcuts,
    family=question_numbers,
    # The number of halvings is all that can move.
    levels=moving(
        n=[
            (10, 1000),
            (1000, 60000),
            (60000, 3000000),
            (3000000, 100000000),
            (100000000, 2147483647),
        ]
    ),
    accepted={"shortcut": "the task is to count what the question shows"},
)
