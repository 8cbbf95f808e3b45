"""Solve a Sudoku of four by four."""

from rgenv.tasks import Entry, Task, moving
from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.boards import filled_blanks, first_digits_that_fit
from rgenv.tasks.symmetries import lines_of_grid


def work(entry: Entry) -> float:
    """Count the digits that row, column and box leave open, over all empty cells."""
    puzzle, open_digits = entry["metadata"]["puzzle"], 0
    for r, row in enumerate(puzzle):
        for c in [c for c, digit in enumerate(row) if not digit]:
            top, left = r // 2 * 2, c // 2 * 2
            box = (digit for rows in puzzle[top : top + 2] for digit in rows[left : left + 2])
            open_digits += 4 - len({*row, *(rows[c] for rows in puzzle), *box} - {0})
    return float(open_digits)


TASK = Task(
    answer=Grid("1234"),
    verify=filled_blanks,
    shortcuts=first_digits_that_fit,
    family=lines_of_grid,
    salt=194,
    work=work,
    # With fewer than 10 empty cells, the first digit that fits is right in most boards. Cells
    # alone differ little from there, so problems are also chosen by the digits that are
    # possible. Boards are small: rows and columns without boxes leave one digit for each cell in
    # .63 at the defaults and in .09 at level 1.
    levels=moving(
        empty=[(10, 10), (10, 11), (11, 11), (11, 12), (12, 12)],
        work=[(12, 18), (16, 20), (18, 22), (21, 25), (24, 36)],
    ),
)
