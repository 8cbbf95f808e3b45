"""Fill a matrix so that rows and columns have their sums."""

import re
from collections import Counter
from collections.abc import Sequence

from rgenv.tasks import Entry, LibraryVerifier, Task, changed, moving, question_numbers
from rgenv.tasks.answers.grids import NumberGrid
from rgenv.tasks.boards import Board, Cell, same_shape, spread, transposed
from rgenv.tasks.questions import rows_written
from rgenv.tasks.rewriting import random_of, replaced

MORE_BLANKS = 6
"""Blanks that a board has in addition to those asked for: half of four follow from a single sum."""
CHOICES, EXCHANGES = 20, 40
"""Choices of places for the blanks, of which the best is taken, and exchanges that are tried."""


def correct(entry: Entry) -> Entry:
    """Blank other cells, few of them the only one of a row or column, and make sums alike.

    Where the means of what is missing differ, the largest number belongs where most is missing.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    size, board = meta["board_size"], [list(row[:-1]) for row in meta["solution"][:-1]]
    cells = [(y, x) for y in range(size - 1) for x in range(size - 1)]
    count = min(meta["num_empty"] + MORE_BLANKS, len(cells))
    blanks = min((rng.sample(cells, count) for _ in range(CHOICES)), key=alone)
    best = _spread(board, blanks)
    for _ in range(EXCHANGES):
        (y, x), (v, u) = rng.sample(blanks, 2)
        board[y][x], board[v][u] = board[v][u], board[y][x]
        after = _spread(board, blanks)
        if after > best:
            board[y][x], board[v][u] = board[v][u], board[y][x]
        best = min(best, after)
    solution = transposed([[*row, sum(row)] for row in board])
    solution = transposed([[*column, sum(column)] for column in solution])
    puzzle = [list(row) for row in solution]
    for y, x in blanks:
        puzzle[y][x] = 0
    numbers = [solution[y][x] for y, x in blanks]
    question = replaced(entry["question"], rows_written(meta["puzzle"]), rows_written(puzzle))
    question = replaced(question, str(meta["candidate_numbers"]), str(numbers))
    facts = {"puzzle": puzzle, "candidate_numbers": numbers, "num_empty": count}
    return changed(entry, question, rows_written(solution), solution=solution, **facts)


def _spread(board: Board, blanks: Sequence[Cell]) -> float:
    """Return how far the means of the blanks of rows and columns are from each other."""
    lines: dict[tuple[str, int], list[int]] = {}
    for y, x in blanks:
        lines.setdefault(("row", y), []).append(board[y][x])
        lines.setdefault(("column", x), []).append(board[y][x])
    means = [sum(line) / len(line) for line in lines.values()]
    return spread(means)


def alone(blanks: Sequence[Cell]) -> int:
    """Return how many rows and columns have a single blank."""
    lines = [Counter(line) for line in zip(*blanks, strict=True)]
    return sum(list(line.values()).count(1) for line in lines)


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for any board whose sums are right, with each number placed once.

    The library knows one such board, and skips whatever is not a number.
    """
    metadata = entry["metadata"]
    puzzle = metadata["puzzle"]
    if len(answer) > 4_000 or not re.fullmatch(r"[-\d \n]*", answer, re.ASCII):
        return 0.0
    board = [[int(n) for n in re.findall(r"-?\d{1,9}", row)] for row in answer.splitlines() if row]
    if not same_shape(board, puzzle):
        return 0.0
    cells = [pair for rows in zip(board, puzzle, strict=True) for pair in zip(*rows, strict=True)]
    placed = Counter(cell for cell, given in cells if not given)
    is_filled = all(cell == given for cell, given in cells if given)
    sums_agree = all(sum(line[:-1]) == line[-1] for line in [*board, *transposed(board)])
    return float(is_filled and sums_agree and placed <= Counter(metadata["candidate_numbers"]))


TASK = Task(
    answer=NumberGrid(),
    correct=correct,
    verify=verify,
    clarify=(("", "Answer with the whole matrix, sums included."),),
    family=question_numbers,
    # The board grows more slowly than the number of empty cells.
    levels=moving(
        board_size=[(4, 4), (5, 5), (5, 6), (6, 6), (6, 7)],
        empty=[(1, 1), (2, 3), (5, 7), (9, 10), (14, 18)],
    ),
)
