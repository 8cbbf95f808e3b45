"""Solve a Sudoku of nine by nine."""

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from rgenv.tasks import Task, moving
from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.boards import Board, filled_blanks
from rgenv.tasks.symmetries import lines_of_grid

_REGIONS = [(r, 9 + c, 18 + r // 3 * 3 + c // 3) for r in range(9) for c in range(9)]
"""The row, the column and the box of each cell."""
_ALL = 0x3FE
"""All digits as bits."""


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

    def board(self) -> Board:
        return [self.digits[i : i + 9] for i in range(0, 81, 9)]

    def _taken(self, cell: int) -> int:
        """Return the digits in the row, the column and the box of a cell."""
        row, column, box = _REGIONS[cell]
        return self._seen[row] | self._seen[column] | self._seen[box]

    def solve(self, empty: Sequence[int]) -> bool:
        """Fill cells in their order, each with the first digit that leads to a solution."""
        if not empty:
            return True
        cell, *rest = empty
        for digit in _possible(self._taken(cell)):
            self._toggle(cell, 1 << digit)
            if self.solve(rest):
                self.digits[cell] = digit
                return True
            self._toggle(cell, 1 << digit)
        return False

    def empty(self, cell: int, others: Sequence[int]) -> bool:
        """Empty a cell, if no other digit fits there, whatever digits `others` get."""
        digit, regions = self.digits[cell], _REGIONS[cell]
        self.digits[cell] = 0
        self._toggle(cell, 1 << digit)
        rivals = [other for other in others if not self._taken(other) >> digit & 1]
        if any(all(region not in _REGIONS[other] for other in rivals) for region in regions):
            return True
        # The last cells were emptied nearby: they show soonest that a digit does not fit.
        if not self._solvable([*reversed(others)], cell, _ALL & ~self._taken(cell) & ~(1 << digit)):
            return True
        self.digits[cell] = digit
        self._toggle(cell, 1 << digit)
        return False

    def _solvable(self, empty: Sequence[int], cell: int, possible: int) -> bool:
        """Return whether a cell can have one of some digits, and the empty ones any."""
        found = False
        while possible and not found:
            bit = possible & -possible
            self._toggle(cell, bit)
            found = self._all_solvable(empty)
            self._toggle(cell, bit)
            possible ^= bit
        return found

    def _all_solvable(self, empty: Sequence[int]) -> bool:
        """Return whether empty cells can be filled."""
        if not empty:
            return True
        seen, fewest, chosen, possible = self._seen, 10, empty[0], 0
        for cell in empty:
            row, column, box = _REGIONS[cell]
            rest = _ALL & ~(seen[row] | seen[column] | seen[box])
            if rest.bit_count() < fewest:
                fewest, chosen, possible = rest.bit_count(), cell, rest
                if fewest < 2:
                    break
        return self._solvable([cell for cell in empty if cell != chosen], chosen, possible)


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
    board[:] = cells.board()
    return solved


def without_digits(_self: Any, solved: Board, num_empty: int, rng: Random) -> Board:
    """Return a board without some digits that has no other solution."""
    order = [(r, c) for r in range(9) for c in range(9)]
    rng.shuffle(order)
    cells, empty = _Cells(solved), list[int]()
    for r, c in order:
        if cells.empty(9 * r + c, empty):
            empty.append(9 * r + c)
            if len(empty) == num_empty:
                break
    return cells.board()


TASK = Task(
    answer=Grid(),
    verify=filled_blanks,
    family=lines_of_grid,
    # Boards and answers have a fixed size; only the number of empty cells grows. With fewer than 26
    # of them, the first digit that fits is right in two boards of five; with more than 55, a few
    # boards take seconds.
    levels=moving(empty=[(26, 32), (32, 37), (38, 43), (44, 49), (50, 55)]),
    faster={
        "games.sudoku:SudokuDataset:_solve": solve,
        "games.sudoku:SudokuDataset:_create_puzzle": without_digits,
    },
)
