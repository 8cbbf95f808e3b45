"""Fill a matrix so that rows and columns have their sums."""

import re
from collections import Counter

from rgenv.tasks import Entry, LibraryVerifier, Task, moving, question_numbers
from rgenv.tasks.answers.grids import NumberGrid
from rgenv.tasks.boards import same_shape, transposed


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
    verify=verify,
    clarify=(("", "Answer with the whole matrix, sums included."),),
    family=question_numbers,
    # The board grows more slowly than the number of empty cells. With few of them, sums with one
    # empty cell are enough: they solve .94 at the defaults, .48 at level 0.25 and .04 at 0.5.
    levels=moving(
        board_size=[(4, 4), (4, 5), (5, 6), (6, 6), (6, 7)],
        empty=[(3, 4), (5, 7), (9, 12), (13, 16), (18, 24)],
    ),
)
