"""Read boards with signs between their cells.

A futoshiki says between some of its cells which one is larger. The signs repeat the question, so
that an answer may leave them out; but signs that contradict the question are another board.

Not here: boards of cells alone (grids.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain

from rgenv.worker.entry import Entry
from rgenv.worker.values.grids import digit, rows
from rgenv.worker.values.kind import Kind
from rgenv.worker.values.notation import plain_signs

_SIGNS = str.maketrans("^v⋀⋁", "∧∨∧∨")
_SIGN = re.compile("[<>∧∨]")
_IGNORED = str.maketrans("", "", " \t,|")


def _futoshiki(text: str, entry: Entry) -> str | None:
    """Write the digits into the layout of the reference answer.

    The text may have all signs, those within the rows, or none.
    """
    right = str(entry["answer"])
    text = plain_signs(text).translate(_SIGNS)
    if _SIGN.search(text):
        expected = _masks(right)
        if _masks(text) not in (expected, [mask for mask in expected if "#" in mask]):
            return None
        digits = re.findall("[0-9]", text)
    else:
        board = rows(text, digit)
        size = len(entry["metadata"]["solution"])
        if board is None or [len(row) for row in board] != [size] * size:
            return None
        digits = list(chain(*board))
    return "".join(digits.pop(0) if sign.isdigit() else sign for sign in right)


def _masks(text: str) -> list[str]:
    """Return the signs of each line, with ``#`` for a digit, without lines that have neither."""
    masks = (re.sub("[0-9]", "#", line.translate(_IGNORED)) for line in text.splitlines())
    return [mask for mask in masks if mask]


KINDS: Mapping[str, Kind] = {"futoshiki": _futoshiki}
