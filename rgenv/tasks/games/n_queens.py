"""Place queens that do not attack each other."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import product

from rgenv.tasks.answers.grids import rows as rows_
from rgenv.tasks.answers.grids import spaced, spaced_forms, split_rows
from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.boards import MAX_SIDE
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import rows_written
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.safe_parse import literal
from rgenv.tasks.symmetries import turned_grid


def _read_square(text: str) -> str | None:
    """Return ``Q`` for a queen and ``_`` for an empty square."""
    return {"Q": "Q", "q": "Q", "_": "_", ".": "_"}.get(text)


class QueenBoard(Answer):
    """A board of Q and _ or dots in any form of a grid.

    An empty square at the end is put back if it was taken for a full stop after the answer. The
    library would evaluate what is not a board as Python.
    """

    name = "grid"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        found = rows_(text, _read_square, single=True)
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
            "taken away": with_squares("_", board[row][other]),
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
    rows = [line.split() for line in question.split("\n") if re.fullmatch(r"[Q_ ]+", line)]
    if size > MAX_SIDE or len(rows) != size or any(len(row) != size for row in rows):
        return {}
    answers = {
        "the row with the fewest squares first": _board(_tightest_first(rows)),  # .75
        "a line through all, modulo the size and 1": _board(_line(rows, size + 1)),  # .11
    }
    for down, right in product((1, -1), repeat=2):  # .59 .52 .58 .54
        turned = [row[::right] for row in rows[::down]]
        name = f"from the {'upper' if down > 0 else 'lower'} {'left' if right > 0 else 'right'}"
        answers[name] = rows_written([row[::right] for row in _queens(turned)[::down]])
    return answers


def _line(rows: Sequence[Sequence[str]], modulus: int) -> list[int]:
    """Return columns that grow by the same step from row to row, the first that have all queens."""
    queens = [(y, row.index("Q")) for y, row in enumerate(rows) if "Q" in row]
    for step in range(2, modulus - 1):
        starts = {(x - step * y) % modulus for y, x in queens}
        if len(starts) == 1:
            return [(starts.copy().pop() + step * y) % modulus for y in range(len(rows))]
    return []


def _queens(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return a board with a queen in the first square of each row that no other one attacks."""
    queens = [(y, row.index("Q")) for y, row in enumerate(rows) if "Q" in row]
    filled = [list(row) for row in rows]
    for y, row in enumerate(filled):
        for x in range(len(row)) if "Q" not in row else ():
            if not any(x == v or abs(x - v) == abs(y - u) for u, v in queens):
                row[x] = "Q"
                queens.append((y, x))
                break
    return filled


def _tightest_first(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns of queens, each put into the row that has the fewest squares left."""
    queens = {y: row.index("Q") for y, row in enumerate(rows) if "Q" in row}
    while len(queens) < len(rows):
        free = {
            y: [
                x
                for x in range(len(rows))
                if all(x != v and abs(x - v) != abs(y - u) for u, v in queens.items())
            ]
            for y in range(len(rows))
            if y not in queens
        }
        y = min(free, key=lambda row: len(free[row]))
        queens[y] = free[y][0] if free[y] else -1
    return [queens[y] for y in range(len(rows))]


def _board(queens: Sequence[int]) -> str:
    return rows_written(
        [["Q" if x == queen else "_" for x in range(len(queens))] for queen in queens]
    )


TASK = Task(
    answer=QueenBoard(),
    correct=correct,
    guarded={"eval": literal},
    shortcuts=shortcuts,
    several_answers=True,
    family=turned_grid,
    # Boards of size 4 to 6 have at most ten solutions, most of those of size 7 are straight
    # lines, and from size 11 on all solutions take half a second. Boards with one queen are
    # few.
    levels=Levels(
        knots={"n": [8, 8, 9, 9, 10], "min_remove": [4, 5, 6, 7, 8], "max_remove": [5, 6, 7, 7, 8]}
    ),
    prepared=("n",),
)
