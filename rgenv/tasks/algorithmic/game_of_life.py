"""Run steps of Conway's Game of Life."""

import json
from typing import Any

import numpy

from rgenv.tasks import Entry, LibraryVerifier, Task, moving
from rgenv.tasks.answers.grids import rows
from rgenv.tasks.answers.json_values import JsonValue
from rgenv.tasks.answers.lists import matching
from rgenv.tasks.boards import Board, same_shape
from rgenv.tasks.symmetries import lines_of_grid
from rgenv.tasks.verifying import credit_above


def _board(question: str) -> Any:
    """Return the board of a question, the last list of lists in it."""
    end = question.rindex("]]") + 2
    return json.loads(question[question.rindex("[[", 0, end) : end])


class LifeBoard(JsonValue):
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
    constants = ([[value] * len(row) for row in right] for value in (0, 1))
    blind = max(_share_equal(board, right) for board in (*constants, _board(entry["question"])))
    return credit_above(blind, _share_equal(given, right))


def _share_equal(board: Board, right: Board) -> float:
    pairs = [(a, b) for x, y in zip(board, right, strict=True) for a, b in zip(x, y, strict=True)]
    return sum(a == b for a, b in pairs) / len(pairs)


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
