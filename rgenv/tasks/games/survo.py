"""Fill a matrix so that rows and columns have their sums."""

import re
from collections import Counter
from collections.abc import Sequence

from rgenv.tasks import Entry, LibraryVerifier, Task, moving, question_numbers
from rgenv.tasks.answers.grids import NumberGrid
from rgenv.tasks.boards import Board, Cell, same_shape, transposed
from rgenv.tasks.questions import rows_written
from rgenv.tasks.rewriting import changed, obeys, random_of, replaced

BLANKS, MAX_BOARDS = 9, 300
"""The fewest blanks, where they are allowed, and the boards among which the best is taken."""


def harden(entry: Entry) -> Entry:
    """Make sums alike: a greedy pass solves .97 of the library's boards, .20 of these.

    It fills lines with one blank, else puts the largest number where most is missing.
    """
    rng, meta = random_of(entry), entry["metadata"]
    size, count = meta["board_size"] - 1, meta["num_empty"]
    count = max(count, BLANKS) if obeys(entry, empty=BLANKS) else count
    numbers = [number for row in meta["solution"][:-1] for number in row[:-1]]
    boards = []
    for _ in range(MAX_BOARDS):
        rng.shuffle(numbers)
        board = [numbers[i : i + size] for i in range(0, size * size, size)]
        blanks = [divmod(i, size) for i in rng.sample(range(size * size), count)]
        boards.append((board, blanks))
    solution, blanks = min(boards, key=lambda pair: _ease(*pair))
    for _ in range(2):
        solution = transposed([[*row, sum(row)] for row in solution])
    puzzle = [
        [0 if (y, x) in blanks else n for x, n in enumerate(row)] for y, row in enumerate(solution)
    ]
    listed = [solution[y][x] for y, x in blanks]
    question = replaced(entry["question"], rows_written(meta["puzzle"]), rows_written(puzzle))
    question = replaced(question, str(meta["candidate_numbers"]), str(listed))
    facts = {"puzzle": puzzle, "candidate_numbers": listed, "num_empty": count}
    return changed(entry, question, rows_written(solution), solution=solution, **facts)


def _ease(board: Board, blanks: Sequence[Cell]) -> tuple[int, float]:
    """Return how many lines have one blank, and how far the means of what they miss differ."""
    lines: dict[tuple[bool, int], list[int]] = {}
    for y, x in blanks:
        for line in ((True, y), (False, x)):
            lines.setdefault(line, []).append(board[y][x])
    means = [sum(missing) / len(missing) for missing in lines.values()]
    spread = sum(mean * mean for mean in means) - sum(means) ** 2 / len(means)
    return sum(len(missing) == 1 for missing in lines.values()), spread


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
    also_right="any placement of the numbers with right sums",
    harden=harden,
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
