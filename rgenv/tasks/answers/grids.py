"""Grids: boards, matrices, and groups of words.

The same grid is ``1 2\\n3 4``, ``[[1, 2], [3, 4]]``, ``[1 2; 3 4]``, ``|1|2|\\n|3|4|`` and, of
cells of one character, ``12\\n34``. Blank lines and lines drawn between rows say nothing.
"""

import json
import re
from collections.abc import Callable

from rgenv.tasks.answers.kind import Answer
from rgenv.tasks.answers.lines import lines
from rgenv.tasks.answers.lists import TEXT, matching, unescaped, word
from rgenv.tasks.answers.notation import item_number, plain_signs
from rgenv.tasks.entry import Entry

Rows = list[list[str]]

Cell = Callable[[str], str | None]
"""Returns a cell as the library writes it, or None for any other text."""

digit = matching("[0-9]")
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")
_FRAME = re.compile(r"\[#(?:,?#)*,?\]|#(?:,?#)*,?")
_DRAWN = re.compile(r"[-+=|\s\u2500-\u257f]+")
_BARS = str.maketrans("│┃║", "|||")
_SQUARE = str.maketrans("()", "[]")
_SEMICOLONS = re.compile(r"\[[^\[\];\n]+(?:;[^\[\];\n]+)+\]|[^\[\]();\n]+(?:;[^\[\]();\n]+)+")
_MATRIX = re.compile(r"\\begin\{([bpvB]?matrix|array)\}(?:\{[clr|]*\})?(.*)\\end\{\1\}", re.DOTALL)


def rows(text: str, cell: Cell, *, single: bool = False) -> Rows | None:
    """Return the cells of each row, which may differ in length; None if `text` is not a grid.

    Args:
        text: rows on lines, in brackets of their own, in quotes, or in a LaTeX matrix.
        cell: what reads a cell.
        single: whether cells are single characters, so that they may stand next to each other.
    """
    text = plain_signs(TEXT.sub(r"\1", unescaped(text.strip())))
    plain = [row.replace("|", " ").strip().removesuffix(",") for row in _row_texts(text)]
    texts = [row for row in plain if row]
    if text.startswith(("[", "(")) and len(texts) < len(plain):
        return None  # an empty list is a row, an empty line is not
    found = list(map(_cells, texts))
    lengths = {len(part) for row in found for part in row}
    if single and len(lengths) == 1 and lengths != {1} and "," not in "".join(texts):
        found = [list("".join(row)) for row in found]
    read = [[value for part in row if (value := cell(part)) is not None] for row in found]
    return read if read and list(map(len, read)) == list(map(len, found)) else None


def _row_texts(text: str) -> list[str]:
    if _SEMICOLONS.fullmatch(text):
        return text.strip("[]").split(";")
    if text.startswith(("[", "(")):
        return _bracketed_rows(text.translate(_SQUARE))
    if matrix := _MATRIX.fullmatch(text):
        return [row.replace("&", ",") for row in matrix[2].split("\\\\")]
    drawn = (line.translate(_BARS) for line in text.splitlines())
    return [line for line in drawn if not _DRAWN.fullmatch(line)]


def _bracketed_rows(text: str) -> list[str]:
    """Return what stands in each inner pair of brackets, or nothing if there is text between."""
    frame = "".join(_BRACKETED.sub("#", text).split())
    found = _BRACKETED.findall(text)
    if not _FRAME.fullmatch(frame):
        return []
    if frame == "#":
        pieces = [piece.strip() for piece in found[0].split(",")]
        if all(_is_quoted(piece) and len(piece) > 3 for piece in pieces):
            return [piece[1:-1] for piece in pieces]  # ["_Q__", "___Q"] is a list of rows
    return found


def _is_quoted(text: str) -> bool:
    return len(text) > 2 and text[0] + text[-1] in ("''", '""', "“”", "‘’")


def _cells(row: str) -> list[str]:
    parts = [part.strip() for part in row.split(",")] if "," in row else row.split()
    return [part[1:-1] if _is_quoted(part) else part for part in parts]


def read_grid(text: str, cell: Cell, *, single: bool = False, between: str = " ") -> str | None:
    """Return a grid with its rows on lines, or None; see `rows`."""
    found = rows(text, cell, single=single)
    return None if found is None else "\n".join(map(between.join, found))


class NumberGrid(Answer):
    """Rows of numbers in any form of a grid."""

    name = "grid"

    def read(self, text: str, entry: Entry) -> str | None:
        return read_grid(text, item_number)


class Grid(NumberGrid):
    """Rows of cells that are single digits, in any form of a grid.

    Args:
        cells: pattern of what is read as a cell.
    """

    must_be_read = True

    def __init__(self, cells: str = "[0-9]") -> None:
        self._cell = matching(cells)

    def read(self, text: str, entry: Entry) -> str | None:
        return read_grid(text, self._cell, single=True)


class Matrix(NumberGrid):
    """Rows of numbers; spaces may be left out if the right answer has only single digits."""

    def read(self, text: str, entry: Entry) -> str | None:
        has_digits = all(len(cell) == 1 for cell in str(entry["answer"]).split())
        found = read_grid(text, digit, single=True) if has_digits else None
        return super().read(text, entry) if found is None else found


class Groups(Answer):
    """Lists of words, in brackets or one a line, in any order.

    The library ignores that one comes twice.
    """

    name = "list"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        text = text.strip()
        found = rows(text if text.startswith(("[", "(")) else "\n".join(lines(text)), word)
        if found is None or len(set(map(tuple, found))) < len(found):
            return None
        return json.dumps(found)
