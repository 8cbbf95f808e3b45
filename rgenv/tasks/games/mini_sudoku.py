"""Solve a Sudoku of four by four."""

from collections.abc import Sequence
from functools import cache
from itertools import chain, permutations
from typing import Any

from rgenv.tasks import Entry, Task, moving, random_of
from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.boards import Board, filled_blanks, first_digits_that_fit, with_puzzle
from rgenv.tasks.symmetries import lines_of_grid


def correct(entry: Entry) -> Entry:
    """Keep only digits that another board has too, whose boxes alone are wrong.

    Rows and columns without boxes would solve nine of ten of the library's puzzles.
    """
    meta, rng = entry["metadata"], random_of(entry)
    kept = _bits(meta["solution"])
    clues = 16 - meta["num_empty"]
    right, wrong = (
        [board for board in boards if (kept & board).bit_count() >= clues] for boards in _boards()
    )

    def keep(some: int) -> bool:
        """Keep some of the digits, if they are enough and leave one board."""
        nonlocal kept
        enough = clues <= some.bit_count() < kept.bit_count()
        if enough and sum(some & board == some for board in right) == 1:
            kept = some
            return True
        return False

    any(keep(kept & board) for board in rng.sample(wrong, len(wrong)))
    for cell in rng.sample(range(16), 16):
        keep(kept & ~(15 << 4 * cell))
    puzzle = [
        [digit if kept >> 4 * (4 * r + c) & 15 else 0 for c, digit in enumerate(row)]
        for r, row in enumerate(meta["solution"])
    ]
    return with_puzzle(entry, puzzle)


@cache
def _boards() -> tuple[list[int], list[int]]:
    """Return the boards whose rows and columns are right: with right boxes, and with wrong ones."""
    rows = [_bits([digits]) for digits in permutations(range(1, 5))]
    boards = [(0, 0)]  # and the digits of each column
    for r in range(4):
        boards = [
            (board | row << 16 * r, columns | row)
            for board, columns in boards
            for row in rows
            if not columns & row
        ]
    right, wrong = list[int](), list[int]()
    for board, _ in boards:
        boxes = (board >> corner for corner in (0, 8, 32, 40))
        fits = all((box | box >> 4 | box >> 16 | box >> 20) & 15 == 15 for box in boxes)
        (right if fits else wrong).append(board)
    return right, wrong


def count_solutions(_self: Any, board: Board, limit: int = 2) -> int:
    """Return how many solutions a board has, or a limit."""
    digits = _bits(board)
    return min(limit, sum(digits & other == digits for other in _boards()[0]))


def _bits(board: Sequence[Sequence[int]]) -> int:
    """Return a bit for each digit of a board and its cell."""
    return sum(1 << 4 * i + digit - 1 for i, digit in enumerate(chain(*board)) if digit)


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
    correct=correct,
    verify=filled_blanks,
    shortcuts=first_digits_that_fit,
    family=lines_of_grid,
    salt=194,
    work=work,
    # With fewer than 10 empty cells, the first digit that fits is right in most boards. Cells
    # alone differ little from there, so problems are also chosen by the digits that are
    # possible. Boards are small: over all puzzles with 12 empty cells, one pass that puts in each
    # only possible digit earns .84, and two earn .99.
    levels=moving(
        empty=[(10, 10), (10, 11), (11, 11), (11, 12), (12, 12)],
        work=[(12, 18), (16, 20), (18, 22), (21, 25), (24, 36)],
    ),
    faster={"games.mini_sudoku:MiniSudokuDataset:_count_solutions": count_solutions},
)
