"""Operations on a matrix, none of which can be left out.

Example::

    manipulate_matrix(entry)    # the same matrix, without the turns by 360 degrees
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rgenv.tasks.entry import Entry

Matrix = list[list[int]]
Operation = Mapping[str, Any]
"""An operation of the library: the name of its `transform`, its `instruction`, and its numbers."""


def manipulate_matrix(entry: Entry) -> Entry | None:
    """Leave out the operations that change nothing in the end; None if no other ones are left.

    Among the library's are turns by 360 degrees, numbers to replace that do not occur, mirrors of a
    single row, and changes of cells that are removed later.
    """
    meta = entry["metadata"]
    given = meta["operations"]
    kept = needed(meta["matrix"], given)
    if not kept:
        return None
    old, new = ("\n".join(op["instruction"] for op in ops) for ops in (given, kept))
    head, shown, tail = entry["question"].rpartition(f"\n{old}\n")
    metadata = {**meta, "operations": kept, "num_transforms": len(kept)}
    return {**entry, "question": f"{head}\n{new}\n{tail}", "metadata": metadata} if shown else None


def needed(matrix: Matrix, operations: Sequence[Operation]) -> list[Operation]:
    """Return operations with the same result, none of which can be left out."""
    kept, result = list(operations), carried_out(matrix, operations)
    place = len(kept) - 1
    while place >= 0:
        others = kept[:place] + kept[place + 1 :]
        if carried_out(matrix, others) == result:
            kept, place = others, len(others)
        place -= 1
    return kept


def carried_out(matrix: Matrix, operations: Iterable[Operation]) -> Matrix:
    """Return what the operations make of a matrix, one after another."""
    for operation in operations:
        matrix = APPLY[operation["transform"]](matrix, operation)
    return matrix


def _turned(matrix: Matrix, operation: Operation) -> Matrix:
    for _ in range(int(operation["degrees"]) // 90 % 4):
        matrix = [list(column) for column in zip(*matrix[::-1], strict=True)]
    return matrix


def _transposed(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]


def _cropped(matrix: Matrix, op: Operation) -> Matrix:
    rows = matrix[op["row_start"] - 1 : op["row_end"]]
    return [row[op["col_start"] - 1 : op["col_end"]] for row in rows]


def _without_every(n: int, items: list[Any]) -> list[Any]:
    return [item for place, item in enumerate(items, 1) if place % n]


APPLY: Mapping[str, Callable[[Matrix, Operation], Matrix]] = MappingProxyType(
    {
        "rotate": _turned,
        "hmirror": lambda matrix, op: matrix[::-1],
        "vmirror": lambda matrix, op: [row[::-1] for row in matrix],
        "dmirror": lambda matrix, op: _transposed(matrix),
        "cmirror": lambda matrix, op: _transposed([row[::-1] for row in matrix[::-1]]),
        "map": lambda matrix, op: [
            [op["to"] if cell == op["from"] else cell for cell in row] for row in matrix
        ],
        "zero_divisible": lambda matrix, op: [
            [cell if cell % op["k"] else 0 for cell in row] for row in matrix
        ],
        "crop": _cropped,
        "remove_every_nth_row": lambda matrix, op: _without_every(op["n"], matrix),
        "remove_every_nth_col": lambda matrix, op: [_without_every(op["n"], row) for row in matrix],
    }
)
"""Name of a transform -> what it makes of a matrix."""
