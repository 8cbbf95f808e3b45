"""Solve a Sudoku of nine by nine."""

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from rgenv.tasks import Task, moving
from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.boards import Board, filled_blanks, first_digits_that_fit
from rgenv.tasks.symmetries import lines_of_grid

_REGIONS = [(r, 9 + c, 18 + r // 3 * 3 + c // 3) for r in range(9) for c in range(9)]
"""The row, the column and the box of each cell."""


class _Cells:
    """A board row by row, and the digits in its 27 regions as bits."""

    def __init__(self, board: Board) -> None:
        self.digits = [digit for row in board for digit in row]
        self._seen = [0] * 27
        for cell, digit in enumerate(self.digits):
            self._toggle(cell, 1 << digit if digit else 0)

    def _toggle(self, cell: int, bit: int) -> None:
        for region in _REGIONS[cell]:
            self._seen[region] ^= bit

    def put(self, cell: int, digit: int) -> None:
        """Put a digit into an empty cell, or 0 into one with a digit."""
        self._toggle(cell, 1 << (digit or self.digits[cell]))
        self.digits[cell] = digit

    def seen(self, cell: int) -> int:
        """Return the digits in the row, the column and the box of a cell."""
        row, column, box = _REGIONS[cell]
        return self._seen[row] | self._seen[column] | self._seen[box]

    def solve(self, empty: Sequence[int]) -> bool:
        """Fill cells in their order, each with the first digit that leads to a solution."""
        if not empty:
            return True
        for digit in _possible(self.seen(empty[0])):
            self.put(empty[0], digit)
            if self.solve(empty[1:]):
                return True
            self.put(empty[0], 0)
        return False

    def can_differ(self, empty: Sequence[int], changed: int, digit: int) -> bool:
        """Return whether cells can be filled, one of them with another digit than `digit`."""
        if not empty:
            return True
        fewest, cell, possible = 10, empty[0], 0
        for other in empty:
            rest = 0x3FE & ~self.seen(other)
            if other == changed:
                rest &= ~(1 << digit)
            if rest.bit_count() < fewest:
                fewest, cell, possible = rest.bit_count(), other, rest
                if not rest:
                    return False
        others = [other for other in empty if other != cell]
        found = False
        while possible and not found:
            self.put(cell, (possible & -possible).bit_length() - 1)
            found = self.can_differ(others, changed, digit)
            self.put(cell, 0)
            possible &= possible - 1
        return found


@cache
def _possible(seen: int) -> list[int]:
    """Return the digits that are not seen in the order of the library's set."""
    return list(
        set(range(1, 10)) - {digit for digit in range(10) if seen >> digit & 1 or not digit}
    )


def solve(_self: Any, board: Board) -> bool:
    """Fill the empty cells of a board, if that is possible."""
    cells = _Cells(board)
    solved = cells.solve([cell for cell, digit in enumerate(cells.digits) if not digit])
    for r, row in enumerate(board):
        row[:] = cells.digits[9 * r : 9 * r + 9]
    return solved


def without_digits(_self: Any, solved: Board, num_empty: int, rng: Random) -> Board:
    """Return a board without some digits that has no other solution."""
    order = [(r, c) for r in range(9) for c in range(9)]
    rng.shuffle(order)
    cells, empty = _Cells(solved), list[int]()
    for r, c in order:
        cell, digit = 9 * r + c, solved[r][c]
        cells.put(cell, 0)
        # All solutions of the board before have this digit here.
        if cells.can_differ([*empty, cell], cell, digit):
            cells.put(cell, digit)
        else:
            empty.append(cell)
            if len(empty) == num_empty:
                break
    return [cells.digits[9 * r : 9 * r + 9] for r in range(9)]


TASK = Task(
    answer=Grid("123456789"),
    verify=filled_blanks,
    shortcuts=first_digits_that_fit,
    family=lines_of_grid,
    # Boards and answers have a fixed size; only the number of empty cells grows. With more than
    # 55 of them, a few boards take seconds.
    levels=moving(empty=[(20, 26), (28, 35), (36, 42), (43, 49), (50, 55)]),
    faster={
        "games.sudoku:SudokuDataset:_solve": solve,
        "games.sudoku:SudokuDataset:_create_puzzle": without_digits,
    },
)
