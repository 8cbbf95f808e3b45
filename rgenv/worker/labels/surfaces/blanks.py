"""Blanks of a matrix in places where no sum gives a number away.

Example::

    survo(entry)    # the same matrix, with two blanks or more in rows and columns that have any
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rgenv.worker.entry import Entry
from rgenv.worker.labels.surfaces.shared import random_of

Cell = tuple[int, int]

CHOICES = 60
"""Choices of places for the blanks, of which the best is taken."""


def survo(entry: Entry) -> Entry | None:
    """Put as many blanks where few of them are the only ones of a row or column.

    In the library's places, half of four blanks follow from a single sum.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    size, solution = meta["board_size"], meta["solution"]
    cells = [(y, x) for y in range(size - 1) for x in range(size - 1)]
    choices = [rng.sample(cells, meta["num_empty"]) for _ in range(CHOICES)]
    blanks = min(choices, key=alone)
    puzzle = [
        [0 if (y, x) in blanks else v for x, v in enumerate(r)] for y, r in enumerate(solution)
    ]
    numbers = [solution[y][x] for y, x in blanks]
    question = entry["question"]
    for old, new in (
        (_written(meta["puzzle"]), _written(puzzle)),
        (str(meta["candidate_numbers"]), str(numbers)),
    ):
        head, found, tail = question.rpartition(old)
        if not found:
            return None
        question = head + new + tail
    metadata = {**meta, "puzzle": puzzle, "candidate_numbers": numbers}
    return {**entry, "question": question, "metadata": metadata}


def alone(blanks: Sequence[Cell]) -> int:
    """Return how many rows and columns have a single blank."""
    lines = [Counter(line) for line in zip(*blanks, strict=True)]
    return sum(list(line.values()).count(1) for line in lines)


def _written(rows: Sequence[Sequence[int]]) -> str:
    return "\n".join(" ".join(map(str, row)) for row in rows)
