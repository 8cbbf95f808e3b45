"""Take the maximum or mean of each block of a matrix."""

from rgenv.tasks import Answers, Entry, LibraryVerifier, Task, exact, moving
from rgenv.tasks.answers.grids import NumberGrid
from rgenv.tasks.questions import last_grid, rows_written
from rgenv.tasks.symmetries import matrix_cells


class PooledMatrix(NumberGrid):
    """Rows of numbers with up to two decimals."""


HALF_A_HUNDREDTH = 0.005 + 1e-9
"""The largest error of a number that is rounded to two decimal places."""


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 if every cell is right to two decimal places, as the question asks.

    The library accepts an error of 1 % in each cell, and gives 0.1 to a matrix of zeros.
    """
    if exact(answer, entry, library):
        return 1.0
    right = entry["metadata"]["solution"]
    try:
        given = [[float(cell) for cell in row.split()] for row in answer.strip().splitlines()]
    except ValueError:
        return 0.0
    if [len(row) for row in right] != [len(row) for row in given]:
        return 0.0
    pairs = ((a, b) for x, y in zip(right, given, strict=True) for a, b in zip(x, y, strict=True))
    return float(all(abs(a - b) <= HALF_A_HUNDREDTH for a, b in pairs))


def shortcuts(question: str) -> Answers:
    rows = last_grid(question)
    size = int(question.split("kernel size of ", 1)[1].split(":", 1)[0])
    return {
        "copy the matrix": rows_written(rows),  # .25
        "the corner of each block": rows_written([row[::size] for row in rows[::size]]),  # .23
    }


TASK = Task(
    answer=PooledMatrix(),
    also_right="more or fewer zeros at the end",
    verify=verify,
    clarify=(
        ("", "A kernel that reaches over the edge of the matrix pools the numbers within it."),
    ),
    shortcuts=shortcuts,
    family=matrix_cells,
    seed_bits=32,  # it seeds numpy
    # A side of 75 is long rather than deep.
    levels=moving(
        rows=[(4, 5), (6, 8), (9, 12), (13, 16), (18, 22)],
        cols=[(4, 5), (6, 8), (9, 12), (13, 16), (18, 22)],
        pool_size=[(2, 2), (2, 3), (3, 4), (3, 4), (4, 5)],
    ),
)
