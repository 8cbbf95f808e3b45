"""Place queens that do not attack each other."""

import random
import re
from itertools import product

from rgenv.tasks import Answer, Answers, Entry, Forms, Task, moving
from rgenv.tasks.answers.grids import rows, spaced, spaced_forms, split_rows
from rgenv.tasks.boards import MAX_SIDE
from rgenv.tasks.safe_parse import literal
from rgenv.tasks.symmetries import turned_grid

_SQUARES = {"Q": "Q", "q": "Q", "_": "_", ".": "_"}


class QueenBoard(Answer):
    """A board of Q and _ or dots in any form of a grid.

    An empty square at the end is put back if it was taken for a full stop after the answer. The
    library would evaluate what is not a board as Python.
    """

    name = "grid"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        found = rows(text, _SQUARES.get, single=True)
        if found is None:
            return None
        if "." in text and len(found) > 1 and len(found[-1]) + 1 == len(found[0]):
            found[-1].append("_")
        return spaced(found)

    def forms(self, reference: str, question: str) -> Forms:
        return spaced_forms(reference)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        board = split_rows(reference)
        row = rng.randrange(len(board))
        column = board[row].index("Q")
        other = rng.choice([place for place in range(len(board)) if place != column])

        def with_squares(at_column: str, at_other: str) -> str:
            changed = [[*cells] for cells in board]
            changed[row][column], changed[row][other] = at_column, at_other
            return spaced(changed)

        return {
            "moved": with_squares("_", "Q"),
            "taken away": with_squares("_", "_"),
            "added": with_squares("Q", "Q"),
        }


MIN_QUEENS = 2
"""Queens on a board. There are few boards with one, and whoever remembers a solution of each can
complete all of them."""


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if its board shows fewer than two queens."""
    shown = sum(row.count("Q") for row in entry["metadata"]["puzzle"])
    return entry if shown >= MIN_QUEENS else None


def shortcuts(question: str) -> Answers:
    """Put a queen into each row at the first square that is free, or on a line through all."""
    size = int(re.findall(r"size (\d+) x", question)[0])
    board = [line.split() for line in question.split("\n") if re.fullmatch(r"[Q_ ]+", line)]
    if size > MAX_SIDE or len(board) != size or any(len(row) != size for row in board):
        return {}
    shown = {y: row.index("Q") for y, row in enumerate(board) if "Q" in row}
    corners = product(("upper", "lower"), ("left", "right"))
    return {
        "the row with the fewest squares first": _tightest_first(dict(shown), size),  # .75
        "a line through all, modulo the size and 1": _line(shown, size),  # .11
    } | {
        f"from the {row} {side}": _first_free(dict(shown), size, row == "lower", side == "right")
        for row, side in corners  # .59 .52 .58 .54
    }


Queens = dict[int, int]
"""Row -> the column of its queen."""


def _free(queens: Queens, y: int, size: int) -> list[int]:
    """Return the columns of row `y` that no queen attacks."""
    attacks = [(v, abs(y - u)) for u, v in queens.items()]
    return [x for x in range(size) if all(x != v and abs(x - v) != far for v, far in attacks)]


def _tightest_first(queens: Queens, size: int) -> str:
    while len(queens) < size:
        free = {y: _free(queens, y, size) for y in range(size) if y not in queens}
        y = min(free, key=lambda row: len(free[row]))
        queens[y] = free[y][0] if free[y] else -1
    return _board(queens, size)


def _line(queens: Queens, size: int) -> str:
    """Move by the same step from row to row: by the first one that meets all queens."""
    for step in range(2, size):
        starts = {(x - step * y) % (size + 1) for y, x in queens.items()}
        if len(starts) == 1:
            return _board({y: (min(starts) + step * y) % (size + 1) for y in range(size)}, size)
    return ""


def _first_free(queens: Queens, size: int, from_below: bool, from_right: bool) -> str:
    for y in range(size)[:: -1 if from_below else 1]:
        if y not in queens and (free := _free(queens, y, size)):
            queens[y] = free[-1 if from_right else 0]
    return _board(queens, size)


def _board(queens: Queens, size: int) -> str:
    return spaced([["Q" if x == queens.get(y) else "_" for x in range(size)] for y in range(size)])


TASK = Task(
    answer=QueenBoard(),
    correct=correct,
    guarded={"eval": literal},
    shortcuts=shortcuts,
    several_answers=True,
    family=turned_grid,
    # By nature, to fill the row with the fewest places first, and never go back, is right for about
    # half of the boards, and for a fourth at level 1: it is the search, cut short.
    # Boards of size 4 to 6 have at most ten solutions, most of those of size 7 are straight
    # lines, and from size 11 on all solutions take half a second. Boards with one queen are
    # few.
    levels=moving(remove=[(4, 5), (5, 6), (6, 7), (7, 7), (8, 8)], n=[8, 8, 9, 9, 10]),
    prepared=("n",),
)
