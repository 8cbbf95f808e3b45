"""Apply a series of operations to a matrix."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from rgenv.tasks import Entry, Task, all_or_nothing, changed, moving, replaced
from rgenv.tasks.answers.grids import Matrix
from rgenv.tasks.symmetries import matrix_cells

Cell = TypeVar("Cell")
Rows = list[list[int]]
Operation = Mapping[str, Any]
"""An operation of the library: the name of its `transform`, its `instruction`, and its numbers."""


def correct(entry: Entry) -> Entry | None:
    """Leave out the operations that change nothing in the end; None if no other ones are left.

    Among the library's are turns by 360 degrees, numbers to replace that do not occur, mirrors of a
    single row, and changes of cells that are removed later.
    """
    given = entry["metadata"]["operations"]
    kept = needed(entry["metadata"]["matrix"], given)
    if not kept:
        return None
    old, new = ("\n".join(op["instruction"] for op in ops) for ops in (given, kept))
    question = replaced(entry["question"], f"\n{old}\n", f"\n{new}\n")
    return changed(entry, question, entry["answer"], operations=kept, num_transforms=len(kept))


def needed(matrix: Rows, operations: Sequence[Operation]) -> list[Operation]:
    """Return operations with the same result, none of which can be left out."""
    kept, result = list(operations), carried_out(matrix, operations)
    place = len(kept) - 1
    while place >= 0:
        others = kept[:place] + kept[place + 1 :]
        if carried_out(matrix, others) == result:
            kept, place = others, len(others)
        place -= 1
    return kept


def carried_out(matrix: Rows, operations: Sequence[Operation]) -> Rows:
    """Return what the operations make of a matrix, one after another."""
    for operation in operations:
        matrix = _APPLY[operation["transform"]](matrix, operation)
    return matrix


def _rotated(matrix: Rows, op: Operation) -> Rows:
    for _ in range(int(op["degrees"]) // 90 % 4):
        matrix = quarter_turned(matrix)
    return matrix


def quarter_turned(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Return a grid turned by a quarter, clockwise."""
    return [list(column) for column in zip(*rows[::-1], strict=True)]


def _mirrored(matrix: Rows) -> Rows:
    """Return a matrix mirrored along its diagonal."""
    return quarter_turned(matrix[::-1])


def _without_every(n: int, items: list[Cell]) -> list[Cell]:
    return [item for place, item in enumerate(items, 1) if place % n]


_APPLY: Mapping[str, Callable[[Rows, Operation], Rows]] = {
    "rotate": _rotated,
    "hmirror": lambda matrix, op: matrix[::-1],
    "vmirror": lambda matrix, op: [row[::-1] for row in matrix],
    "dmirror": lambda matrix, op: _mirrored(matrix),
    "cmirror": lambda matrix, op: _mirrored([row[::-1] for row in matrix[::-1]]),
    "map": lambda matrix, op: [
        [op["to"] if cell == op["from"] else cell for cell in row] for row in matrix
    ],
    "zero_divisible": lambda matrix, op: [
        [cell if cell % op["k"] else 0 for cell in row] for row in matrix
    ],
    "crop": lambda matrix, op: [
        row[op["col_start"] - 1 : op["col_end"]]
        for row in matrix[op["row_start"] - 1 : op["row_end"]]
    ],
    "remove_every_nth_row": lambda matrix, op: _without_every(op["n"], matrix),
    "remove_every_nth_col": lambda matrix, op: [_without_every(op["n"], row) for row in matrix],
}
"""Name of a transform -> what it makes of a matrix."""


MIRRORS = "A vertical mirror exchanges left and right, a horizontal one top and bottom."
ROTATIONS = "Rotations are clockwise."

TASK = Task(
    answer=Matrix(),
    correct=correct,
    verify=all_or_nothing,
    clarify=(("Rotate the matrix (90|270)", ROTATIONS), ("(Vertic|Horizont)ally mirror", MIRRORS)),
    family=matrix_cells,
    # The curriculum starts at or above the default, so easier values are added. Its boards are
    # long; a chain of operations is deep.
    levels=moving(
        transforms=[(2, 3), (4, 5), (6, 7), (8, 10), (11, 14)],
        rows=[(3, 4), (4, 6), (6, 8), (8, 10), (10, 14)],
        cols=[(3, 4), (4, 6), (6, 8), (8, 10), (10, 14)],
        w_crop=[1.0, 0.5, 0.0, -0.5, -1.0],
    ),
)
