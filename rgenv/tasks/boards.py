"""Boards and grids: cells, neighbours, written rows, and blanks that are filled."""

import math
import re
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import rows_written
from rgenv.tasks.record import Answers, LibraryVerifier
from rgenv.tasks.rewriting import changed, replaced
from rgenv.tasks.verifying import credit_above_half

Cell = tuple[int, int]
Board = list[list[int]]
MAX_BOARDS, MAX_PIECES = 40, 200
"""Boards to try before an entry is given up, and pieces of the Game of Life."""
MAX_SIDE = 15
"""Rows of the largest board that is filled."""
MAX_STEPS = 1000
"""Steps of a search, after which it gives up."""
STEPS = ((-1, 0), (0, -1), (1, 0), (0, 1))


def transposed(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    return [list(column) for column in zip(*rows, strict=True)]


def first_digits_that_fit(question: str) -> Answers:
    """Put the first digit that fits into each blank, or the last one."""
    lines = [line.split() for line in question.split("\n")]
    rows = [row for row in lines if "_" in row or (row[1:] and all(map(_is_digit, row)))]
    rows = [row for row in rows if len(row) == len(rows[-1])]
    if len(rows) not in (4, 9):
        return {}
    digits = "123456789"[: len(rows)]
    return {
        "the first digit that fits": rows_written(_first_fit(rows, digits)),  # .43
        "the last digit that fits": rows_written(_first_fit(rows, digits[::-1])),  # .46
    }


def _is_digit(cell: str) -> bool:
    return len(cell) == 1 and cell.isdigit()


def _first_fit(rows: Sequence[Sequence[str]], digits: str) -> list[list[str]]:
    """Fill each blank with the first of `digits` that its row, column and box lack."""
    box = math.isqrt(len(rows))
    taken: defaultdict[object, set[str]] = defaultdict(set)
    regions = {
        (y, x): (taken["row", y], taken["column", x], taken["box", y // box, x // box])
        for y, row in enumerate(rows)
        for x in range(len(row))
    }
    filled = [list(row) for row in rows]
    for (y, x), seen in regions.items():
        for region in seen:
            region.add(filled[y][x])
    for (y, x), seen in regions.items():
        if filled[y][x] == "_":
            filled[y][x] = next((d for d in digits if d not in set.union(*seen)), "_")
            for region in seen:
                region.add(filled[y][x])
    return filled


def filled_blanks(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the blanks are right.

    The library gives 0.51 to the puzzle with a 1 in each blank.
    """
    return blanks_score(answer, entry)


def blanks_score(answer: str, entry: Entry) -> float:
    """Give credit if more than half of the blanks are right; 0.0 if a given cell was changed.

    In a puzzle of rows and columns no number belongs in more than half of the blanks.
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
    return credit_above_half(sum(blanks) / max(len(blanks), 1))


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


State = TypeVar("State", bound=Hashable)
Move = TypeVar("Move")


def moves_to(state: State, came_from: Mapping[State, tuple[State, Move] | None]) -> list[Move]:
    """Return the moves to a state, given the state and the move that each state was reached by."""
    moves = []
    while (step := came_from[state]) is not None:
        state, move = step
        moves.append(move)
    return moves[::-1]


def with_puzzle(entry: Entry, puzzle: Board) -> Entry:
    """Return an entry that asks another puzzle with the same solution; 0 is a blank."""
    before, after = (
        rows_written(board).replace("0", "_") for board in (entry["metadata"]["puzzle"], puzzle)
    )
    question = replaced(entry["question"], before, after)
    empty = sum(row.count(0) for row in puzzle)
    return changed(entry, question, entry["answer"], puzzle=puzzle, num_empty=empty)


def spread(values: Sequence[float]) -> float:
    """Return the sum of squared distances from the mean."""
    return sum(value * value for value in values) - sum(values) ** 2 / len(values)
