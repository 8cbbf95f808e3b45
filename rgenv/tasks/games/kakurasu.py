"""Place 1s whose weights give the sums of rows and columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product

from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.boards import MAX_SIDE, written_grid
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import integers_in, rows_written
from rgenv.tasks.record import Answers, Levels, LibraryVerifier, Task
from rgenv.tasks.rewriting import random_of, with_solution
from rgenv.tasks.symmetries import question_numbers
from rgenv.tasks.verifying import library_score

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


def correct(entry: Entry) -> Entry | None:
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

    asked, shown = entry["question"], written_grid(meta["puzzle"])
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
    question = form.format(**new, puzzle=written_grid(empty))
    changed = with_solution(entry, question, board, **new, puzzle=empty)
    return {**changed, "answer": written_grid(board)}


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


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a right board without text; the library picks 0s and 1s out of prose."""
    board_only = re.fullmatch(r"[01 \n]*", answer)
    return float(board_only is not None and library_score(library, answer) >= 1.0)


def shortcuts(question: str) -> Answers:
    """Fill rows in turn with the first cells that fit, or fill cells from a corner."""
    rows, columns = [integers_in(part) for part in re.findall(r"\[([\d, ]+)\]", question)[:2]]
    if max(len(rows), len(columns)) > MAX_SIDE:
        return {}
    answers = {}
    for first in ("smallest", "largest"):  # .16 .10, by column .14 .09
        by_row = _fitted(rows, columns, first == "largest")
        by_column = transposed(_fitted(columns, rows, first == "largest"))
        answers[f"row by row, {first} weight first, with the rest in mind"] = rows_written(by_row)
        answers[f"column by column, {first} weight first, with the rest in mind"] = rows_written(
            by_column
        )
    for value, down, right in (
        (1, -1, -1),  # .49
        (1, -1, 1),  # .09
        (1, 1, -1),  # .09
        (0, -1, 1),  # .12
        (0, 1, -1),  # .10
    ):
        corner = f"{'upper' if down > 0 else 'lower'} {'left' if right > 0 else 'right'}"
        answers[f"{value} where it fits, from the {corner}"] = rows_written(
            _where_it_fits(rows, columns, down, right, value)
        )
    return answers


def _where_it_fits(
    rows: Sequence[int], columns: Sequence[int], down: int, right: int, value: int
) -> list[list[str]]:
    """Return a board with `value` in each cell where its row and column allow it, cell by cell.

    They allow a 1 if it is not more than what they lack, and a 0 if what follows can be enough.
    """
    height, width = len(rows), len(columns)
    # For zeros, count down what a board of ones has too much.
    surplus = value == 0
    left = [width * (width + 1) // 2 - total if surplus else total for total in rows]
    below = [height * (height + 1) // 2 - total if surplus else total for total in columns]
    board = [[str(1 - value)] * width for _ in rows]
    for y, x in product(range(height)[::down], range(width)[::right]):
        if left[y] > x and below[x] > y:
            board[y][x] = str(value)
            left[y] -= x + 1
            below[x] -= y + 1
    return board


def _fitted(totals: Sequence[int], others: Sequence[int], largest_first: bool) -> list[list[str]]:
    """Return rows that have their totals and leave enough to no column: the first that fit."""
    left, filled = list(others), []
    for weight, total in enumerate(totals, 1):
        choices = _cells_with_sum(len(others)).get(total, [()])
        fitting = [cells for cells in choices if all(left[x] >= weight for x in cells)] or choices
        cells = fitting[-1 if largest_first else 0]
        for x in cells:
            left[x] -= weight
        filled.append(["1" if x in cells else "0" for x in range(len(others))])
    return filled


@cache
def _cells_with_sum(width: int) -> Mapping[int, Sequence[Sequence[int]]]:
    """Return the choices of cells in a row by the sum of their weights, small weights first."""
    found: dict[int, list[list[int]]] = {}
    for choice in product((1, 0), repeat=width) if width <= 10 else ():
        cells = [x for x, chosen in enumerate(choice) if chosen]
        found.setdefault(sum(cells) + len(cells), []).append(cells)
    return found


def transposed(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return a grid mirrored along its main diagonal."""
    return [list(column) for column in zip(*rows, strict=True)]


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
