"""Fill a matrix so that rows and columns have their sums."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations

from rgenv.tasks.answers.grids import NumberGrid
from rgenv.tasks.boards import (
    MAX_SIDE,
    MAX_STEPS,
    Board,
    Cell,
    same_shape,
    transposed,
)
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import integers_in, rows_written
from rgenv.tasks.record import Answers, Levels, LibraryVerifier, Task
from rgenv.tasks.rewriting import random_of
from rgenv.tasks.symmetries import question_numbers

CHOICES = 60
"""Choices of places for the blanks, of which the best is taken."""


def correct(entry: Entry) -> Entry | None:
    """Put as many blanks where few of them are the only ones of a row or column.

    In the library's places, half of four blanks follow from a single sum.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    size, solution = meta["board_size"], meta["solution"]
    cells = [(y, x) for y in range(size - 1) for x in range(size - 1)]
    blanks = min((rng.sample(cells, meta["num_empty"]) for _ in range(CHOICES)), key=alone)
    puzzle = [list(row) for row in solution]
    for y, x in blanks:
        puzzle[y][x] = 0
    numbers = [solution[y][x] for y, x in blanks]
    question = entry["question"]
    for old, new in (
        (rows_written(meta["puzzle"]), rows_written(puzzle)),
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


def shortcuts(question: str) -> Answers:
    """Put the number nearest to the mean of what is missing, or mind the sums of rows alone."""
    shown = [line for line in question.split("\n") if re.fullmatch(r"[-\d ]+", line)]
    rows = [[int(cell) for cell in line.split()] for line in shown]
    numbers = integers_in(question[question.rindex("[") :].split("]", 1)[0])
    if len(rows) > MAX_SIDE or any(len(row) != len(rows) for row in rows):
        return {}
    boards = {f"the nearest, {name}": _nearest(rows, numbers, name) for name in ORDERS}
    for name, order in (
        ("", numbers),  # .38, columns .36
        (", small ones first", sorted(numbers)),  # .39 .35
        (", large ones first", sorted(numbers, reverse=True)),  # .37 .38
    ):
        boards[f"rows alone{name}"] = _with_row_sums(rows, order)
        boards[f"columns alone{name}"] = transposed(_with_row_sums(transposed(rows), order))
    return {name: rows_written(board) for name, board in boards.items() if board}


ORDERS: Mapping[str, Callable[[Board, Cell], tuple[int, ...]]] = {
    "row by row": lambda rows, cell: cell,  # .48
    "from the end": lambda rows, cell: (-cell[0], -cell[1]),  # .53
    "column by column": lambda rows, cell: cell[::-1],  # .49
    "where fewest are blank": lambda rows, cell: (  # .52
        min(rows[cell[0]].count(0), [row[cell[1]] for row in rows].count(0)),
    ),
}
"""Name -> the blank with the least key is filled next."""


def _nearest(rows: Board, numbers: Sequence[int], order: str) -> Board:
    filled, left = [list(row) for row in rows], list(numbers)
    blanks = [(y, x) for y, row in enumerate(rows) for x, cell in enumerate(row) if not cell]
    while blanks and left:
        y, x = min(blanks, key=lambda cell: ORDERS[order](filled, cell))
        blanks.remove((y, x))
        lines = (filled[y], [row[x] for row in filled])
        mean = sum((line[-1] - sum(line[:-1])) / line.count(0) for line in lines) / 2
        filled[y][x] = min(left, key=lambda number: abs(number - mean))
        left.remove(filled[y][x])
    return filled


def _with_row_sums(rows: Board, numbers: Sequence[int]) -> Board:
    """Return the first filling that gives each row its sum; no rows if none is found in time."""
    filled = [list(row) for row in rows]
    steps = iter(range(MAX_STEPS))

    def fill(y: int, left: Sequence[int]) -> bool:
        if y == len(rows) - 1:
            return True
        blanks = [x for x, cell in enumerate(rows[y]) if not cell]
        for places in permutations(range(len(left)), len(blanks)):
            next(steps)
            if sum(rows[y][:-1]) + sum(left[place] for place in places) == rows[y][-1]:
                for x, place in zip(blanks, places, strict=True):
                    filled[y][x] = left[place]
                if fill(y + 1, [v for place, v in enumerate(left) if place not in places]):
                    return True
        return False

    try:
        return filled if fill(0, numbers) else []
    except StopIteration:
        return []


TASK = Task(
    answer=NumberGrid(),
    correct=correct,
    verify=verify,
    clarify=(("", "Answer with the whole matrix, sums included."),),
    shortcuts=shortcuts,
    several_answers=True,
    family=question_numbers,
    # The board grows more slowly than the number of empty cells.
    levels=Levels(
        knots={
            "min_board_size": [4, 5, 5, 6, 6],
            "max_board_size": [4, 5, 6, 6, 7],
            "min_empty": [5, 7, 10, 14, 20],
            "max_empty": [6, 8, 13, 16, 24],
        }
    ),
)
