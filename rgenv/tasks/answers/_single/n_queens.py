"""Boards with queens."""

from __future__ import annotations

import random

from rgenv.tasks.answers.grids import rows, spaced, spaced_forms, split_rows
from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.entry import Entry


def _read_square(text: str) -> str | None:
    """Return ``Q`` for a queen and ``_`` for an empty square."""
    return {"Q": "Q", "q": "Q", "_": "_", ".": "_"}.get(text)


class QueenBoard(Answer):
    """A board of Q and _ or dots in any form of a grid.

    An empty square at the end is put back if it was taken for a full stop after the answer. The
    library would evaluate what is not a board as Python.
    """

    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        found = rows(text, _read_square, single=True)
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
