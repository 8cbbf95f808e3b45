"""Run steps of Conway's Game of Life."""

import json
from itertools import chain
from typing import Any

import numpy

from rgenv.tasks import Answer, Entry, LibraryVerifier, Task, moving
from rgenv.tasks.answers.grids import rows
from rgenv.tasks.answers.lists import matching
from rgenv.tasks.boards import same_shape
from rgenv.tasks.symmetries import lines_of_grid
from rgenv.tasks.verifying import credit_above, share_in_place


class LifeBoard(Answer):
    """A board of 0 and 1 in any form of a grid."""

    name = "grid"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        found = rows(text, matching("[01]"), single=True)
        return "[" + ",".join(f"[{','.join(row)}]" for row in found) + "]" if found else None


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more cells are right than on an empty, a full and the copied board.

    The library gives 0.96 to an empty board.
    """
    right, given = (json.loads(text or "[]") for text in (str(entry["answer"]), answer))
    if not same_shape(given, right):
        return 0.0
    if given == right:
        return 1.0
    question = entry["question"]
    end = question.rindex("]]") + 2
    shown = json.loads(question[question.rindex("[[", 0, end) : end])
    constants = ([[value] * len(row) for row in right] for value in (0, 1))
    share, *blind = (
        share_in_place([*chain(*board)], [*chain(*right)]) for board in (given, shown, *constants)
    )
    return credit_above(share, max(blind))


def evolved(board: Any, timesteps: int, **_options: object) -> list[Any]:
    """Return the first and the last board in time; the board wraps around.

    It replaces a function that counts the neighbors of one cell after the other.
    """
    first = now = board[-1]
    for _ in range(timesteps - 1):
        rows = now + numpy.roll(now, 1, axis=0) + numpy.roll(now, -1, axis=0)
        around = rows + numpy.roll(rows, 1, axis=1) + numpy.roll(rows, -1, axis=1) - now
        now = ((around == 3) | ((around == 2) & (now == 1))).astype(now.dtype)
    return [first, now]


TASK = Task(
    answer=LifeBoard(),
    verify=verify,
    family=lines_of_grid,
    # The task ignores the curriculum's share of filled cells and uses their number. Larger
    # boards are long; steps are deep.
    levels=moving(
        grid_size_x=[5, 8, 10, 12, 15],
        grid_size_y=[5, 8, 10, 12, 15],
        filled_cells=[9, 22, 35, 50, 75],
        simulation_steps=[1, 1, 2, 3, 5],
    ),
    faster={"algorithmic.game_of_life:cpl:evolve2d": evolved},
)
