"""Place 1s whose weights give the sums of rows and columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product

from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.boards import MAX_SIDE, Board, transposed
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import integers_in, rows_written
from rgenv.tasks.record import Answers, Levels, LibraryVerifier, Task
from rgenv.tasks.rewriting import random_of, with_solution
from rgenv.tasks.symmetries import question_numbers
from rgenv.tasks.verifying import library_score

MIN_SIDE, DENSITY = 5, (0.4, 0.6)
"""The least rows and columns of a board, and the least and the greatest share of ones.

A smaller board that has one solution is filled by a pass from the lower right, and so is one with
few ones.
"""
MAX_BOARDS = 200
"""Boards to try before an entry is given up; of those with five rows, one in nine is taken."""
MAX_WIDTH = 10
"""Cells of a row whose fillings are all tried."""
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


def correct(entry: Entry) -> Entry | None:
    """Replace a small board, one with few ones, and one that a pass by shares fills.

    The new one has at least five rows and columns.
    """
    meta = entry["metadata"]
    size = meta["n_rows"], meta["n_cols"]
    height, width = (max(MIN_SIDE, side) for side in size)
    is_dense = meta["p_ones"] >= DENSITY[0]
    if (height, width) == size and is_dense and not is_filled_by_shares(meta["solution"]):
        return entry
    names = ("n_rows", "n_cols", "row_sums", "col_sums")
    old = {name: meta[name] for name in names}
    from reasoning_gym.games.kakurasu import PROMPT_TEMPLATES  # another release may lack it

    asked, shown = entry["question"], rows_written(meta["puzzle"])
    form = next(t for t in PROMPT_TEMPLATES if t.format(**old, puzzle=shown) == asked)
    rng = random_of(entry)
    for _ in range(MAX_BOARDS):
        share = rng.uniform(*DENSITY)
        board = [[int(rng.random() < share) for _ in range(width)] for _ in range(height)]
        rows, columns = weights(board), weights(transposed(board))
        if not all(rows) or not all(columns) or is_filled_by_shares(board):
            continue
        if solutions(rows, columns) == 1:
            break
    else:
        return None
    empty = [[0] * width for _ in range(height)]
    new = dict(zip(names, (height, width, rows, columns), strict=True))
    question = form.format(**new, puzzle=rows_written(empty))
    changed = with_solution(entry, question, board, **new, puzzle=empty)
    return {**changed, "answer": rows_written(board)}


def weights(rows: Sequence[Sequence[int]]) -> list[int]:
    """Return, for each row, the sum of the positions of its ones, counted from 1."""
    return [sum(x for x, cell in enumerate(row, 1) if cell) for row in rows]


def is_filled_by_shares(board: Board) -> bool:
    """Return whether one pass from the lower right finds a board by one of the rules.

    Each rule is tried with and without a 1 where the row or column can't have its sum without it.
    """
    rows, columns = weights(board), weights(transposed(board))
    ways = [*product(WISHES, (False, True)), (lambda row, column: False, True)]
    return any(_filled(rows, columns, wish, also_needed=also) == board for wish, also in ways)


def _filled(
    rows: Sequence[int],
    columns: Sequence[int],
    is_wanted: Wish = lambda row, column: True,
    *,
    also_needed: bool = False,
    corner: tuple[int, int] = (-1, -1),
) -> Board:
    """Pass over all cells; put a 1 where it fits if it is wanted.

    Args:
        also_needed: put one, too, where the cells above, or at the left, can't add enough without.
        corner: where to begin: 1 at the top and at the left, -1 at the other end.
    """
    left, below = list(rows), list(columns)
    board = [[0] * len(columns) for _ in rows]
    down, right = corner
    for y, x in product(range(1, len(rows) + 1)[::down], range(1, len(columns) + 1)[::right]):
        row, column = left[y - 1], below[x - 1]
        in_row, in_column = x * (x + 1) // 2, y * (y + 1) // 2  # what the open cells can add
        needed = also_needed and (row > in_row - x or column > in_column - y)
        if row >= x and column >= y and (needed or is_wanted(row / in_row, column / in_column)):
            board[y - 1][x - 1] = 1
            left[y - 1] -= x
            below[x - 1] -= y
    return board


def solutions(rows: Sequence[int], columns: Sequence[int]) -> int:
    """Return how many boards have these sums, two at most."""
    states = {tuple(columns): 1}  # what the columns lack -> the ways to get there
    for y in range(len(rows), 0, -1):
        most = y * (y - 1) // 2  # what the rows above can add
        following: Counter[tuple[int, ...]] = Counter()
        for left, ways in states.items():
            for cells in _lines_with_sum(len(columns))[rows[y - 1]]:
                rest = tuple(lack - y * cell for lack, cell in zip(left, cells, strict=True))
                if min(rest) >= 0 and max(rest) <= most:
                    following[rest] = min(2, following[rest] + ways)
        states = following
    return states.get((0,) * len(columns), 0)


@cache
def _lines_with_sum(width: int) -> Mapping[int, Sequence[Sequence[int]]]:
    """Return the fillings of a row by the sum of their weights, small weights first."""
    found: dict[int, list[Sequence[int]]] = {}
    for cells in product((1, 0), repeat=width):
        found.setdefault(weights([cells])[0], []).append(cells)
    return found


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a right board without text; the library picks 0s and 1s out of prose."""
    board_only = re.fullmatch(r"[01 \n]*", answer)
    return float(board_only is not None and library_score(library, answer) >= 1.0)


def shortcuts(question: str) -> Answers:
    """Fill rows in turn with the first cells that fit, or fill cells from a corner."""
    rows, columns = [integers_in(part) for part in re.findall(r"\[([\d, ]+)\]", question)[:2]]
    if max(len(rows), len(columns)) > MAX_SIDE:
        return {}
    boards = {}
    for first in ("smallest", "largest") if max(len(rows), len(columns)) <= MAX_WIDTH else ():
        way = f"{first} weight first, with the rest in mind"
        boards[f"row by row, {way}"] = _fitted(rows, columns, first)  # .16 .10
        boards[f"column by column, {way}"] = transposed(_fitted(columns, rows, first))  # .14 .09
    corners = {"lower right": (-1, -1), "lower left": (-1, 1), "upper right": (1, -1)}
    for name, corner in corners.items():  # .49 .09 .09
        boards[f"1 where it fits, from the {name}"] = _filled(rows, columns, corner=corner)
    # For zeros, count down what a board of ones has too much.
    full_row, full_column = (sum(range(len(side) + 1)) for side in (columns, rows))
    surplus = [full_row - total for total in rows], [full_column - total for total in columns]
    for name in ("lower left", "upper right"):  # .12 .10
        zeros = _filled(*surplus, corner=corners[name])
        boards[f"0 where it fits, from the {name}"] = [[1 - cell for cell in row] for row in zeros]
    return {name: rows_written(board) for name, board in boards.items()}


def _fitted(totals: Sequence[int], others: Sequence[int], first: str) -> Board:
    """Return rows that have their totals and leave enough to no column: the first that fit."""
    left, filled = list(others), []
    for weight, total in enumerate(totals, 1):
        lines = _lines_with_sum(len(others))[total]
        fitting = [
            cells
            for cells in lines
            if all(lack >= weight or not cell for lack, cell in zip(left, cells, strict=True))
        ]
        cells = (fitting or lines)[-1 if first == "largest" else 0]
        left = [lack - weight * cell for lack, cell in zip(left, cells, strict=True)]
        filled.append(list(cells))
    return filled


TASK = Task(
    answer=Grid("01", cells="[01]"),
    correct=correct,
    verify=verify,
    clarify=(("", "Answer with the whole grid of 1s and 0s."),),
    shortcuts=shortcuts,
    several_answers=True,
    family=question_numbers,
    # The curriculum's falling share of ones makes larger boards easier, so it hardly falls
    # here. Smaller boards than 5 by 5 with one solution are filled by a pass from a corner.
    levels=Levels(
        knots={
            "min_rows": [5, 5, 6, 6, 7],
            "max_rows": [5, 5, 6, 7, 7],
            "min_cols": [5, 6, 6, 6, 7],
            "max_cols": [5, 6, 6, 7, 7],
            "p_ones": [0.5, 0.45, 0.4],
        }
    ),
)
