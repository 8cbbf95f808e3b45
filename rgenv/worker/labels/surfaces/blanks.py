"""Blanks that neither a single sum nor a board known by heart fills.

Example::

    survo(entry)    # the same matrix, with two blanks or more in rows and columns that have any
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product

from rgenv.tasks.entry import Entry
from rgenv.worker.labels.surfaces.shared import random_of, with_solution

Cell = tuple[int, int]

CHOICES = 60
"""Choices of places for the blanks, of which the best is taken."""

# --- survo --------------------------------------------------------------------------------------


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


# --- kakurasu -----------------------------------------------------------------------------------

KAKURASU_SIDE, DENSITY = 5, (0.4, 0.6)
"""The least rows and columns of a board, and the least and the greatest share of ones.

A smaller board that has one solution is filled by a pass from the lower right, and so is one with
few ones.
"""
MAX_BOARDS = 200
"""Boards to try before an entry is given up; of those with five rows, one in nine is taken."""

Wish = Callable[[float, float], bool]
"""Whether to put a 1, from what row and column lack as shares of what their open cells can add."""

WISHES: Sequence[Wish] = (
    lambda row, column: row + column > 0.9,
    lambda row, column: row + column > 1,
    lambda row, column: row + column > 1.1,
    lambda row, column: max(row, column) > 0.6,
    lambda row, column: min(row, column) > 0.4,
)
"""Rules that fill half of the boards with five rows and columns, if a 1 is put where it fits."""


def kakurasu(entry: Entry) -> Entry | None:
    """Replace a small board, one with few ones, and one that a pass by shares fills.

    The new one has at least five rows and columns.
    """
    meta = entry["metadata"]
    height, width = max(KAKURASU_SIDE, meta["n_rows"]), max(KAKURASU_SIDE, meta["n_cols"])
    if (
        (height, width) == (meta["n_rows"], meta["n_cols"])
        and meta["p_ones"] >= DENSITY[0]
        and not is_filled_by_shares(meta["solution"])
    ):
        return entry
    names = ("n_rows", "n_cols", "row_sums", "col_sums")
    old = {name: meta[name] for name in names}
    from reasoning_gym.games.kakurasu import PROMPT_TEMPLATES  # another release may lack it

    asked, shown = entry["question"], _written(meta["puzzle"])
    form = next(t for t in PROMPT_TEMPLATES if t.format(**old, puzzle=shown) == asked)
    rng = random_of(entry)
    for _ in range(MAX_BOARDS):
        share = rng.uniform(*DENSITY)
        board = [[int(rng.random() < share) for _ in range(width)] for _ in range(height)]
        rows, columns = weights(board), weights(list(zip(*board, strict=True)))
        if not all(rows) or not all(columns) or is_filled_by_shares(board):
            continue
        if kakurasu_solutions(rows, columns) == 1:
            break
    else:
        return None
    empty = [[0] * width for _ in range(height)]
    new = dict(zip(names, (height, width, rows, columns), strict=True))
    question = form.format(**new, puzzle=_written(empty))
    changed = with_solution(entry, question, board, **new, puzzle=empty)
    return {**changed, "answer": _written(board)}


def is_filled_by_shares(board: Sequence[Sequence[int]]) -> bool:
    """Return whether one pass from the lower right finds a board by one of the rules.

    Each rule is tried with and without a 1 where the row or column can't have its sum without it.
    """
    rows, columns = weights(board), weights(list(zip(*board, strict=True)))
    if _filled(rows, columns, lambda row, column: False, also_needed=True) == board:
        return True
    return any(
        _filled(rows, columns, is_wanted, also_needed=also_needed) == board
        for is_wanted in WISHES
        for also_needed in (False, True)
    )


def _filled(
    rows: Sequence[int], columns: Sequence[int], is_wanted: Wish, *, also_needed: bool
) -> list[list[int]]:
    left, below = list(rows), list(columns)
    board = [[0] * len(columns) for _ in rows]
    for y, x in product(range(len(rows), 0, -1), range(len(columns), 0, -1)):
        row, column = left[y - 1], below[x - 1]
        in_row, in_column = x * (x + 1) // 2, y * (y + 1) // 2  # what the open cells can add
        needed = also_needed and (row > in_row - x or column > in_column - y)
        if row >= x and column >= y and (needed or is_wanted(row / in_row, column / in_column)):
            board[y - 1][x - 1] = 1
            left[y - 1] -= x
            below[x - 1] -= y
    return board


def weights(rows: Sequence[Sequence[int]]) -> list[int]:
    """Return, for each row, the sum of the positions of its ones, counted from 1."""
    return [sum(x for x, cell in enumerate(row, 1) if cell) for row in rows]


def kakurasu_solutions(rows: Sequence[int], columns: Sequence[int]) -> int:
    """Return how many boards have these sums, two at most."""
    choices = [cells for cells in product((0, 1), repeat=len(columns)) if any(cells)]
    fitting = {total: [c for c in choices if weights([c]) == [total]] for total in set(rows)}
    states = {tuple(columns): 1}  # what the columns lack -> the ways to get there
    for y in range(len(rows), 0, -1):
        most = y * (y - 1) // 2  # what the rows above can add
        following: Counter[tuple[int, ...]] = Counter()
        for left, ways in states.items():
            for cells in fitting[rows[y - 1]]:
                rest = tuple(lack - y * cell for lack, cell in zip(left, cells, strict=True))
                if min(rest) >= 0 and max(rest) <= most:
                    following[rest] = min(2, following[rest] + ways)
        states = following
    return states.get((0,) * len(columns), 0)


# --- n_queens -----------------------------------------------------------------------------------

MIN_QUEENS = 2
"""Queens on a board. There are few boards with one, and whoever remembers a solution of each can
complete all of them."""


def n_queens(entry: Entry) -> Entry | None:
    """Return the entry; None if its board shows fewer than two queens."""
    shown = sum(row.count("Q") for row in entry["metadata"]["puzzle"])
    return entry if shown >= MIN_QUEENS else None
