"""Boards and grids: cells, neighbours, written rows, and blanks that are filled."""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

from rgenv.tasks.entry import Entry
from rgenv.tasks.record import LibraryVerifier
from rgenv.tasks.verifying import credit_above

Cell = tuple[int, int]
Board = list[list[int]]
MAX_BOARDS, MAX_PIECES = 40, 200
"""Boards to try before an entry is given up, and pieces of the Game of Life."""
MAX_SIDE = 15
"""Rows of the largest board that is filled."""
MAX_STEPS = 1000
"""Steps of a search, after which it gives up."""


def transposed(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    return [list(column) for column in zip(*rows, strict=True)]


def filled_blanks(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the blanks are right; 0.0 if a given cell was changed.

    In a puzzle of rows and columns no number belongs in more than half of the blanks. The library
    gives 0.51 to a Sudoku with a 1 in each blank.
    """
    rows = ([int(digit) for digit in re.findall("[0-9]", row)] for row in answer.splitlines())
    board = [row for row in rows if row]
    puzzle, solution = entry["metadata"]["puzzle"], entry["metadata"]["solution"]
    if [len(row) for row in board] != [len(row) for row in solution]:
        return 0.0
    cells = list(zip(*(list(chain(*rows)) for rows in (board, puzzle, solution)), strict=True))
    if any(given and cell != given for cell, given, _ in cells):
        return 0.0
    blanks = [cell == right for cell, given, right in cells if not given]
    return credit_above(sum(blanks) / max(len(blanks), 1))


def same_shape(board: Any, other: Board) -> bool:
    return (
        isinstance(board, list)
        and len(board) == len(other)
        and all(isinstance(row, list) and len(row) == len(other[0]) for row in board)
    )


def reached(start: int, free: int, wide: int) -> int:
    """Return the free cells that can be reached from `start`; cells and rows as in `between`."""
    while True:
        around = start | start << 1 | start >> 1 | start << wide | start >> wide
        if around & free == start:
            return start
        start = around & free


def between(ends: tuple[int, int], free: int, wide: int) -> list[int]:
    """Return the cells of all shortest ways between two ends, by their distance from the first.

    Sets of cells are bits, and a row has `wide`. The cells around the grid are not free.
    """
    start, goal = (1 << i for i in ends)
    layer, unseen, layers = start, free ^ start, []
    while not layer & goal:
        layers.append(layer)
        layer = (layer << 1 | layer >> 1 | layer << wide | layer >> wide) & unseen
        unseen ^= layer
        if not layer:
            return []
    layer = goal
    for i in range(len(layers) - 1, 0, -1):
        layer = (layer << 1 | layer >> 1 | layer << wide | layer >> wide) & layers[i]
        layers[i] = layer
    return layers[1:]
