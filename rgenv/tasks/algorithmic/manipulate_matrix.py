"""Apply a series of operations to a matrix."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from rgenv.tasks import Entry, Task, all_or_nothing, changed, moving, random_of, replaced
from rgenv.tasks.answers.grids import Matrix
from rgenv.tasks.questions import rows_written
from rgenv.tasks.symmetries import matrix_cells

Cell = TypeVar("Cell")
Rows = list[list[int]]
Operation = Mapping[str, Any]
"""An operation of the library: the name of its `transform`, its `instruction`, and its numbers."""


VALUES = ("map", "zero_divisible")
KINDS = (
    ("rotate",),
    ("hmirror", "vmirror", "dmirror", "cmirror"),
    ("crop", "remove_every_nth_row", "remove_every_nth_col"),
    VALUES,
)
"""The names of operations. A series of four and more has one of each kind."""
TRIES = 6
"""Series that are drawn until neither an operation nor a kind can be left out: one in 200 fails."""


def correct(entry: Entry) -> Entry | None:
    """Draw as many operations as the library, of all kinds, none of which can be left out.

    Among the library's are turns by 360 degrees, numbers to replace that do not occur, and changes
    of cells that are removed later. One in three of its series ends in a single cell, and most lack
    a kind, so that a program without that kind solves them.
    """
    matrix, given = entry["metadata"]["matrix"], entry["metadata"]["operations"]
    rng = random_of(entry)
    for _ in range(TRIES):
        kept = _drawn(matrix, len(given), rng)
        if len(kept) == len(given) and _all_matter(matrix, kept):
            break
    old, new = ("\n".join(op["instruction"] for op in ops) for ops in (given, kept))
    question = replaced(entry["question"], f"\n{old}\n", f"\n{new}\n")
    result = carried_out(matrix, kept)
    known = {"operations": kept, "num_transforms": len(kept), "solution": result}
    return changed(entry, question, rows_written(result), **known) if kept else None


def _drawn(matrix: Rows, count: int, rng: random.Random) -> list[Operation]:
    """Draw operations each of which changes a matrix, and leaves two rows and columns."""
    names: list[str] = []
    while len(names) <= count:
        first = [rng.choice(kind) for kind in KINDS]
        others = [name for kind in KINDS for name in kind if name not in first]
        names += rng.sample(first, len(first)) + rng.sample(others, len(others))
    operations: list[Operation] = []
    for name in rng.sample(names[:count], count) + names[count:]:
        numbers = _numbers(name, matrix, rng)
        operation = {"transform": name, "instruction": f"- {_SAYS[name].format(**numbers)}"}
        after = _APPLY[name](matrix, numbers)
        if after != matrix and len(after) > 1 and len(after[0]) > 1:
            operations.append(operation | numbers)
            matrix = after
        if len(operations) == count:
            break
    return operations


def _numbers(name: str, matrix: Rows, rng: random.Random) -> dict[str, Any]:
    """Draw the numbers of an operation."""
    sides = {"row": len(matrix), "col": len(matrix[0])}
    if name == "rotate":
        return {"degrees": rng.choice(("90", "180", "270"))}
    if name == "map":
        old = rng.choice(rng.choice(matrix))
        return {"from": old, "to": (old + rng.randint(1, 9)) % 10}
    if name == "zero_divisible":
        cell = max(2, rng.choice(rng.choice(matrix)))
        return {"k": rng.choice([k for k in range(2, cell + 1) if cell % k == 0])}
    if name == "crop":
        found: dict[str, int] = {}
        for side, size in sides.items():
            left = rng.randint(max(2, size - 3), size)
            start = rng.randint(1, size - left + 1)
            found |= {f"{side}_start": start, f"{side}_end": start + left - 1}
        return found
    if name.startswith("remove"):
        n = rng.randint(2, sides[name[-3:]])
        return {"n": n, "nth": f"{n}-{'nd' if n == 2 else 'th'}"}
    return {}


def _all_matter(matrix: Rows, operations: Sequence[Operation]) -> bool:
    """Return whether each operation, and all of a kind together, change the result.

    It makes no difference whether values change before or after cells move.
    """
    changes = [op for op in operations if op["transform"] in VALUES]
    moves = [op for op in operations if op["transform"] not in VALUES]
    left = list({cell for row in carried_out(matrix, moves) for cell in row})
    changed_first = carried_out(matrix, changes)
    return all(_each_matters(*part) for part in (([left], changes), (changed_first, moves)))


def _each_matters(matrix: Rows, operations: Sequence[Operation]) -> bool:
    result, names = carried_out(matrix, operations), [op["transform"] for op in operations]
    groups = {tuple(n for n, name in enumerate(names) if name in kind) for kind in KINDS} - {()}
    groups |= {(n,) for n in range(len(names))}
    return all(
        carried_out(matrix, [op for n, op in enumerate(operations) if n not in group]) != result
        for group in groups
    )


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
    return list(map(list, zip(*rows[::-1], strict=True)))


def _mirrored(matrix: Rows) -> Rows:
    """Return a matrix mirrored along its diagonal."""
    return quarter_turned(matrix[::-1])


def _without_every(n: int, items: list[Cell]) -> list[Cell]:
    left = [*items]
    del left[n - 1 :: n]
    return left


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

_SAYS = {
    "rotate": "Rotate the matrix {degrees} degrees",
    "hmirror": "Horizontally mirror the matrix",
    "vmirror": "Vertically mirror the matrix",
    "dmirror": "Mirror the matrix along the diagonal",
    "cmirror": "Mirror the matrix along the counterdiagonal",
    "map": "Map each occurrence of {from} to {to}",
    "zero_divisible": "Set all elements divisible by {k} to zero",
    "crop": (
        "Crop the matrix to rows {row_start}-{row_end} and columns {col_start}-{col_end}"
        " (1-indexed)"
    ),
    "remove_every_nth_row": "Remove every {nth} row (1-indexed)",
    "remove_every_nth_col": "Remove every {nth} column (1-indexed)",
}
"""Name of a transform -> its instruction."""


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
    ),
    accepted={
        "shortcut": (
            "six operations can't be of all ten sorts: without crops, .55 by default, .47 at .5 "
            "and .06 at 1 are right"
        )
    },
)
