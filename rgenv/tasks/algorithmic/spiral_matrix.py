"""Read a matrix along a spiral."""

from __future__ import annotations

from itertools import chain

from rgenv.tasks.answers.lists import Numbers
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import last_grid
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.safe_parse import literal
from rgenv.tasks.symmetries import cell_amounts, largest_grid


def shortcuts(question: str) -> Answers:
    """Read the rows, every second one backwards."""
    snake = [row[::-1] if place % 2 else row for place, row in enumerate(last_grid(question))]
    return {"every second row backwards": " ".join(chain.from_iterable(snake))}  # .10


def family(entry: Entry) -> object:
    """Keep the size, and how often each number is in the matrix; ignore order of the cells,
    rotations, mirrors, other digits, operations.
    """
    return cell_amounts(largest_grid(entry["question"]))


TASK = Task(
    answer=Numbers(must_be_read=True),
    guarded={"eval": literal},
    shortcuts=shortcuts,
    family=family,
    # A side of 54 is long rather than deep.
    levels=Levels(knots={"min_n": [3, 5, 7, 10, 14], "max_n": [4, 6, 9, 13, 18]}),
)
