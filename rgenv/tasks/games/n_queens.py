"""Place queens that do not attack each other."""

import re

from rgenv.tasks import Answer, Answers, Entry, Task, by_library, moving
from rgenv.tasks.answers.grids import rows
from rgenv.tasks.boards import MAX_SIDE
from rgenv.tasks.questions import rows_written
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
        return rows_written(found)


Queens = dict[int, int]
"""Row -> the column of its queen."""


def shortcuts(question: str) -> Answers:
    """Put a queen on the first or the last square of each row that no other one attacks."""
    size = int(re.findall(r"size (\d+) x", question)[0])
    board = [line.split() for line in question.split("\n") if re.fullmatch(r"[Q_ ]+", line)]
    if size > MAX_SIDE or len(board) != size or any(len(row) != size for row in board):
        return {}
    shown = {y: row.index("Q") for y, row in enumerate(board) if "Q" in row}
    return {
        "the first free squares": _filled(shown, range(size)),  # .55
        "the last free squares": _filled(shown, range(size)[::-1]),  # .53
    }


def _filled(shown: Queens, columns: range) -> str:
    queens = dict(shown)
    for y in (row for row in range(len(columns)) if row not in shown):
        attacks = [(v, abs(y - u)) for u, v in queens.items()]
        free = (x for x in columns if all(x != v and abs(x - v) != far for v, far in attacks))
        queens[y] = next(free, -1)
    rows = range(len(columns))
    return rows_written([["Q" if x == queens[y] else "_" for x in rows] for y in rows])


TASK = Task(
    answer=QueenBoard(),
    also_right="any placement that keeps the given queens",
    verify=by_library,
    guarded={"eval": literal},
    shortcuts=shortcuts,
    family=turned_grid,
    # The row with the fewest free squares first, without turning back, is right in .43 at the
    # defaults and in .14 at level 1: it is the first branch of a search, not a shortcut.
    # Boards of size 4 to 6 have at most ten solutions, most solutions of size 7 are straight
    # lines, and from size 11 on all solutions take half a second.
    levels=moving(remove=[(3, 5), (4, 5), (5, 6), (6, 7), (7, 8)], n=[8, 8, 9, 10, 10]),
    prepared=("n",),
)
