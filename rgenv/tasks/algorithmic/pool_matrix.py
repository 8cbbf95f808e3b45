"""Take the maximum or mean of each block of a matrix."""

from __future__ import annotations

from rgenv.tasks.answers.grids import NumberGrid, spaced, split_rows
from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import last_grid, rows_written
from rgenv.tasks.record import Answers, Levels, LibraryVerifier, Task
from rgenv.tasks.symmetries import cell_amounts, largest_grid
from rgenv.tasks.verifying import is_reference_answer


class PooledMatrix(NumberGrid):
    """Rows of numbers with up to two decimals."""

    def forms(self, reference: str, question: str) -> Forms:
        padded = [[f"{float(cell):.2f}" for cell in row] for row in split_rows(reference)]
        return super().forms(reference, question) | {"two decimals": spaced(padded)}


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 if every cell is right to two decimal places, as the question asks.

    The library accepts an error of 1 % in each cell, and gives 0.1 to a matrix of zeros.
    """
    if is_reference_answer(answer, entry):
        return 1.0
    right, given = entry["metadata"]["solution"], _parse_matrix(answer)
    if [len(row) for row in right] != [len(row) for row in given]:
        return 0.0
    pairs = ((a, b) for x, y in zip(right, given, strict=True) for a, b in zip(x, y, strict=True))
    return float(all(abs(a - b) <= HALF_A_HUNDREDTH for a, b in pairs))


HALF_A_HUNDREDTH = 0.005 + 1e-9
"""The largest error of a number that is rounded to two decimal places."""


def _parse_matrix(text: str) -> list[list[float]]:
    """Return the rows of a matrix, or no rows if a cell is not a number."""
    try:
        return [[float(cell) for cell in row.split()] for row in text.strip().splitlines()]
    except ValueError:
        return []


def shortcuts(question: str) -> Answers:
    """Copy the matrix, or answer with one cell of each block."""
    rows = last_grid(question)
    size = int(question.split("kernel size of ", 1)[1].split(":", 1)[0])
    return {
        "copy the matrix with decimals": (  # .13
            rows_written([[f"{cell}.0" for cell in row] for row in rows])
        ),
        "the corner of each block": rows_written([row[::size] for row in rows[::size]]),  # .23
    }


def family(entry: Entry) -> object:
    """Keep the size, and how often each number is in the matrix; ignore order of the cells,
    rotations, mirrors, other digits, operations.
    """
    return cell_amounts(largest_grid(entry["question"]))


TASK = Task(
    answer=PooledMatrix(),
    verify=verify,
    clarify=(
        (
            "",
            "A kernel that reaches over the edge of the matrix pools the numbers within it.",
        ),
    ),
    shortcuts=shortcuts,
    family=family,
    seed_bits=32,  # it seeds numpy
    # A side of 75 is long rather than deep.
    levels=Levels(
        knots={
            "min_rows": [4, 6, 9, 13, 18],
            "max_rows": [5, 8, 12, 16, 22],
            "min_cols": [4, 6, 9, 13, 18],
            "max_cols": [5, 8, 12, 16, 22],
            "min_pool_size": [2, 2, 3, 3, 4],
            "max_pool_size": [2, 3, 4, 4, 5],
        }
    ),
)
