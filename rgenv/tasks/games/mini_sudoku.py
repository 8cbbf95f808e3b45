"""Solve a Sudoku of four by four."""

from __future__ import annotations

from collections.abc import Sequence

from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.boards import filled_blanks, first_digits_that_fit
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Levels, Task
from rgenv.tasks.symmetries import largest_grid, line_amounts

Board = Sequence[Sequence[int]]


def candidates(puzzle: Board, box: int = 1) -> int:
    """Count the values that row, column and box leave open, over all empty cells.

    Args:
        puzzle: a square board of the numbers 1 to its size, with 0 for an empty cell.
        box: the side of the boxes that hold each number once; 1 for none.
    """
    size, count = len(puzzle), 0
    for r in range(size):
        for c in range(size):
            if not puzzle[r][c]:
                top, left = r // box * box, c // box * box
                seen = {*puzzle[r], *(row[c] for row in puzzle)}
                seen |= {v for row in puzzle[top : top + box] for v in row[left : left + box]}
                count += size - len(seen - {0})
    return count


def work(entry: Entry) -> float:
    """Count the values that are possible at first."""
    return float(candidates(entry["metadata"]["puzzle"], box=2))


def family(entry: Entry) -> object:
    """Keep how often symbols are in rows and columns; ignore rotations, mirrors, order of rows and
    columns, other symbols.
    """
    return line_amounts(largest_grid(entry["question"]))


TASK = Task(
    answer=Grid("1234"),
    verify=filled_blanks,
    shortcuts=first_digits_that_fit,
    family=family,
    salt=97,
    work=work,
    # With fewer than 10 empty cells, the first digit that fits is right in most boards. Cells
    # alone differ little from there, so problems are also chosen by the digits that are
    # possible.
    levels=Levels(
        knots={"min_empty": [10, 10, 11, 11, 12], "max_empty": [10, 11, 11, 12, 12]},
        work=[(12, 18), (16, 20), (18, 22), (21, 25), (24, 36)],
    ),
)
