"""Boards and grids: cells, neighbours, written rows, and blanks that are filled."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import rows_written
from rgenv.tasks.record import Answers, LibraryVerifier
from rgenv.tasks.verifying import credit_above_half


def written_grid(rows: Sequence[Sequence[int]]) -> str:
    return "\n".join(" ".join(map(str, row)) for row in rows)


def transposed(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    return [list(column) for column in zip(*rows, strict=True)]


Cell = tuple[int, int]
MAX_BOARDS, MAX_PIECES = 40, 200
"""Boards to try before an entry is given up, and pieces of the Game of Life."""


def grid_text(grid: list[list[int]]) -> str:
    return "\n".join(" ".join(map(str, row)) for row in grid)


def neighbours(cell: Cell, rows: int, columns: int) -> Iterator[Cell]:
    """Yield the cells above, below and beside a cell."""
    row, column = cell
    if row:
        yield row - 1, column
    if column:
        yield row, column - 1
    if row < rows - 1:
        yield row + 1, column
    if column < columns - 1:
        yield row, column + 1


MAX_SIDE = 15
"""Rows of the largest board that is filled."""
MAX_STEPS = 1000
"""Steps of a search, after which it gives up."""
Rows = Sequence[Sequence[str]]


def first_digits_that_fit(question: str) -> Answers:
    """Put the first digit that fits into each blank, or the last one."""
    rows = [line.split() for line in question.split("\n") if "_" in line.split() or _digits(line)]
    rows = [row for row in rows if len(row) == len(rows[-1])]
    if len(rows) not in (4, 9):
        return {}
    return {
        "the first digit that fits": rows_written(_first_fit(rows, reverse=False)),  # .43
        "the last digit that fits": rows_written(_first_fit(rows, reverse=True)),  # .46
    }


def _digits(line: str) -> bool:
    cells = line.split()
    return len(cells) > 1 and all(len(cell) == 1 and cell.isdigit() for cell in cells)


def _first_fit(rows: Rows, *, reverse: bool) -> list[list[str]]:
    size = len(rows)
    box = {4: 2, 9: 3}.get(size, 1)
    digits = [str(digit) for digit in range(1, size + 1)]
    digits.reverse() if reverse else None
    in_row, in_column = [set(row) for row in rows], [set(row) for row in zip(*rows, strict=True)]
    in_box: list[set[str]] = [set() for _ in range(size * size)]
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            in_box[y // box * size + x // box].add(cell)
    filled = [list(row) for row in rows]
    for y, cells in enumerate(filled):
        for x, cell in enumerate(cells):
            if cell != "_":
                continue
            seen = (in_row[y], in_column[x], in_box[y // box * size + x // box])
            for digit in digits:
                if not any(digit in taken for taken in seen):
                    cells[x] = digit
                    for taken in seen:
                        taken.add(digit)
                    break
    return filled


Board = list[list[int]]


def filled_blanks(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the blanks are right.

    The library gives 0.51 to the puzzle with a 1 in each blank.
    """
    if not re.fullmatch(r"[\d \n]+", answer, re.ASCII):
        return 0.0
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


STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def flood(starts: Iterable[Cell], cells: set[Cell]) -> dict[Cell, int]:
    """Return the distance of each of `cells` that can be reached from `starts`."""
    distances = dict.fromkeys(starts, 0)
    queue = deque(distances)
    while queue:
        r, c = queue.popleft()
        for dr, dc in STEPS:
            cell = r + dr, c + dc
            if cell in cells and cell not in distances:
                distances[cell] = distances[r, c] + 1
                queue.append(cell)
    return distances


State = TypeVar("State", bound=Hashable)
Move = TypeVar("Move")


def fewest_moves(
    start: State,
    is_end: Callable[[State], bool],
    following: Callable[[State], Iterable[tuple[Move, State]]],
    limit: float,
) -> list[Move] | None:
    """Return the fewest moves to an end; None if there is no way.

    Args:
        following: yields the moves from a state with the states that they lead to.
        limit: states to search. The result is an empty list if there are more.
    """
    came_from: dict[State, tuple[State, Move] | None] = {start: None}
    queue = deque([start])
    while queue and len(came_from) <= limit:
        state = queue.popleft()
        if is_end(state):
            moves = []
            while (step := came_from[state]) is not None:
                state, move = step
                moves.append(move)
            return moves[::-1]
        for move, reached in following(state):
            if reached not in came_from:
                came_from[reached] = state, move
                queue.append(reached)
    return [] if queue else None


Metadata = Mapping[str, Any]
