"""Place queens that do not attack each other."""

import functools
import random
import re

from rgenv.tasks import Answer, Answers, Entry, Forms, Task, by_library, moving
from rgenv.tasks.answers.grids import rows, spaced, spaced_forms, split_rows
from rgenv.tasks.boards import MAX_SIDE
from rgenv.tasks.rewriting import changed, random_of
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
CHOICES = 16
"""Choices of the queens that are shown. The best of all choices would be one for each solution."""

Queens = dict[int, int]
"""Row -> the column of its queen."""


def correct(entry: Entry) -> Entry | None:
    """Show other queens of the answer, as few as the parameters allow.

    Of several choices, the one with the fewest solutions and the most free squares is shown: most
    squares that look free are wrong then, however the rows are ordered.
    """
    metadata = entry["metadata"]
    answer = [row.index("Q") for row in split_rows(entry["answer"])]
    size = len(answer)
    removed = min(metadata["difficulty"]["num_removed"][1], size - MIN_QUEENS)
    squares, rng = [*enumerate(answer)], random_of(entry)
    choices = [dict(rng.sample(squares, size - removed)) for _ in range(CHOICES)]

    def ease(shown: Queens) -> tuple[int, int]:
        free = [_free(shown, y, size) for y in range(size) if y not in shown]
        return len(_completed(shown, size)), -sum(map(len, free))

    shown = min(choices, key=ease)
    boards = sorted(_board(dict(enumerate(found)), size) for found in _completed(shown, size))
    head, _, rest = entry["question"].partition(f"place {metadata['num_removed']} queen(s)")
    sentence, old, tail = rest.partition(spaced(metadata["puzzle"]))
    if not old:
        return None
    puzzle = _board(shown, size)
    return changed(
        entry,
        f"{head}place {removed} queen(s){sentence}{puzzle}{tail}",
        _board(dict(squares), size),
        puzzle=split_rows(puzzle),
        solutions=[split_rows(board) for board in boards],
        num_removed=removed,
        valid_answers=boards,
    )


def _completed(shown: Queens, size: int) -> set[tuple[int, ...]]:
    """Return the solutions with these queens."""
    return set.intersection(*(_solutions(size)[square] for square in shown.items()))


@functools.cache
def _solutions(size: int) -> dict[tuple[int, int], set[tuple[int, ...]]]:
    """Return, for each square, the solutions with a queen on it: the column of each row."""
    found: dict[tuple[int, int], set[tuple[int, ...]]] = {}

    def place(columns: tuple[int, ...], straight: int, left: int, right: int) -> None:
        if len(columns) == size:
            for square in enumerate(columns):
                found.setdefault(square, set()).add(columns)
        for x in range(size):
            if not (bit := 1 << x) & (straight | left | right):
                place((*columns, x), straight | bit, (left | bit) >> 1, (right | bit) << 1)

    place((), 0, 0, 0)
    return found


def shortcuts(question: str) -> Answers:
    """Put the queens on a line through all that are shown."""
    size = int(re.findall(r"size (\d+) x", question)[0])
    board = [line.split() for line in question.split("\n") if re.fullmatch(r"[Q_ ]+", line)]
    if size > MAX_SIDE or len(board) != size or any(len(row) != size for row in board):
        return {}
    shown = {y: row.index("Q") for y, row in enumerate(board) if "Q" in row}
    return {"a line through all, modulo the size and 1": _line(shown, size)}  # .11


def _line(queens: Queens, size: int) -> str:
    """Move by the same step from row to row: by the first one that meets all queens."""
    for step in range(2, size):
        starts = {(x - step * y) % (size + 1) for y, x in queens.items()}
        if len(starts) == 1:
            return _board({y: (min(starts) + step * y) % (size + 1) for y in range(size)}, size)
    return ""


def _free(queens: Queens, y: int, size: int) -> list[int]:
    """Return the columns of row `y` that no queen attacks."""
    attacks = [(v, abs(y - u)) for u, v in queens.items()]
    return [x for x in range(size) if all(x != v and abs(x - v) != far for v, far in attacks)]


def _board(queens: Queens, size: int) -> str:
    return spaced([["Q" if x == queens.get(y) else "_" for x in range(size)] for y in range(size)])


TASK = Task(
    answer=QueenBoard(),
    correct=correct,
    verify=by_library,
    guarded={"eval": literal},
    shortcuts=shortcuts,
    family=turned_grid,
    # The row or column with the fewest free squares first, without turning back, is right in .31
    # at the defaults and in .17 at level 1: it is the first branch of a search, so no shortcut.
    # Boards of size 4 to 6 have at most ten solutions, most of those of size 7 are straight
    # lines, and from size 11 on all solutions take half a second.
    levels=moving(max_remove=[5, 6, 7, 7, 8], n=[8, 8, 9, 10, 10]),
    prepared=("n",),
)
