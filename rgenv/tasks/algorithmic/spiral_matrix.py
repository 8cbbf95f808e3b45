"""Read a matrix along a spiral."""

from itertools import chain

from rgenv.tasks import Answers, Task, by_library, moving
from rgenv.tasks.answers.lists import Numbers
from rgenv.tasks.questions import last_grid
from rgenv.tasks.safe_parse import literal
from rgenv.tasks.symmetries import matrix_cells


def shortcuts(question: str) -> Answers:
    snake = [row[::-1] if place % 2 else row for place, row in enumerate(last_grid(question))]
    return {"every second row backwards": " ".join(chain.from_iterable(snake))}  # .10


TASK = Task(
    answer=Numbers(must_be_read=True),
    verify=by_library,
    guarded={"eval": literal},
    shortcuts=shortcuts,
    family=matrix_cells,
    # A side of 54 is long rather than deep.
    levels=moving(n=[(3, 4), (5, 6), (7, 9), (10, 13), (14, 18)]),
)
