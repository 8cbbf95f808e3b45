"""Read grids: boards, matrices, and groups of words.

Example::

    rows("1 2\\n3 4", digit)              # [["1", "2"], ["3", "4"]]
    rows("[[1, 2], [3, 4]]", digit)      # the same, as in the next two lines
    rows("|1|2|\\n|3|4|", digit)
    rows("12\\n34", digit)
    rows("1 2\\n3 and 4", digit)          # None

Cells are separated by whitespace, commas or bars. Cells of one character may stand next to each
other. Blank lines and lines drawn between rows say nothing.

Not here: what belongs in which cell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from rgenv.worker.entry import Entry
from rgenv.worker.values.kind import Kind
from rgenv.worker.values.lines import lines
from rgenv.worker.values.lists import MAX_TEXT, matching, number, unescaped, word
from rgenv.worker.values.mappings import UNREADABLE
from rgenv.worker.values.notation import plain_signs

Rows = list[list[str]]

Cell = Callable[[str], str | None]
"""Returns a cell as the library writes it, or None for a text that is no cell."""

digit, bit, mark = (matching(re.compile(signs)) for signs in ("[0-9]", "[01]", "[✅❌]"))
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")
_FRAME = re.compile(r"\[#(?:,?#)*,?\]|#(?:,?#)*,?")
_DRAWN = re.compile(r"[-+=|\s\u2500-\u257f]+")
_BARS = str.maketrans("│┃║", "|||")
_MATRIX = re.compile(r"\\begin\{([bpvB]?matrix|array)\}(?:\{[clr|]*\})?(.*)\\end\{\1\}", re.DOTALL)


def square(text: str) -> str | None:
    """Return ``Q`` for a queen and ``_`` for an empty square."""
    return {"Q": "Q", "q": "Q", "_": "_", ".": "_"}.get(text)


SINGLE = (digit, bit, mark, square)
"""Cells of one character."""


def rows(text: str, cell: Cell) -> Rows | None:
    """Return the rows of a grid.

    Args:
        text: rows on lines, in brackets of their own, in quotes, or in a LaTeX matrix.
        cell: what reads a cell.

    Returns:
        The cells of each row, or None if `text` is no such grid. The rows may differ in length.
    """
    if len(text) > MAX_TEXT:
        return None
    text = plain_signs(unescaped(text.strip()))
    plain = list(map(_plain_row, _row_texts(text)))
    texts = [row for row in plain if row]
    if text.startswith(("[", "(")) and len(texts) < len(plain):
        return None  # an empty list is a row, an empty line is not
    found = list(map(_cells, texts))
    lengths = {len(part) for row in found for part in row}
    if cell in SINGLE and len(lengths) == 1 and lengths != {1} and "," not in "".join(texts):
        found = [list("".join(row)) for row in found]
    read = [[value for part in row if (value := cell(part)) is not None] for row in found]
    return read if read and list(map(len, read)) == list(map(len, found)) else None


def _row_texts(text: str) -> list[str]:
    if text.startswith(("[", "(")):
        return _bracketed_rows(text.replace("(", "[").replace(")", "]"))
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
    return len(text) > 2 and text[0] + text[-1] in ("''", '""')


def _plain_row(text: str) -> str:
    """Return a row without bars, and without a comma at its end."""
    return text.replace("|", " ").strip().removesuffix(",")


def _cells(row: str) -> list[str]:
    parts = [part.strip() for part in row.split(",")] if "," in row else row.split()
    return [part[1:-1] if _is_quoted(part) else part for part in parts]


def _grid(cell: Cell, between: str = " ") -> Kind:
    """Return a kind that writes rows on lines, with `between` between their cells."""

    def kind(text: str, entry: Entry) -> str | None:
        found = rows(text, cell)
        return None if found is None else "\n".join(map(between.join, found))

    return kind


def _marks(text: str, entry: Entry) -> str | None:
    """Ignore the invisible characters that ask for a coloured form of an emoji."""
    return _grid(mark, between="")(text.replace("\ufe0f", ""), entry)


def _queens(text: str, entry: Entry) -> str | None:
    """Put back an empty square at the end, if it was taken for a full stop after the answer.

    The library would evaluate what is not a board as Python.
    """
    found = rows(text, square)
    if found is None:
        return UNREADABLE
    if "." in text and len(found) > 1 and len(found[-1]) + 1 == len(found[0]):
        found[-1].append("_")
    return "\n".join(map(" ".join, found))


def _digits_or_numbers(text: str, entry: Entry) -> str | None:
    """Read digits next to each other as cells if no cell of the right answer has two."""
    if all(len(cell) == 1 for cell in str(entry["answer"]).split()):
        return _grid(digit)(text, entry) or _grid(number)(text, entry)
    return _grid(number)(text, entry)


def _json_bits(text: str, entry: Entry) -> str | None:
    found = rows(text, bit)
    if found is None:
        return None
    return "[" + ",".join(f"[{','.join(row)}]" for row in found) + "]"


def _groups(text: str, entry: Entry) -> str | None:
    """Read lists of words, in brackets or one a line; the library ignores that one comes twice."""
    text = text.strip()[: MAX_TEXT + 1]
    found = rows(text if text.startswith(("[", "(")) else "\n".join(lines(text)), word)
    if found is None or len(set(map(tuple, found))) < len(found):
        return UNREADABLE
    return json.dumps(found)


KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(["arc_agi", "rearc"], _grid(digit)),
    **dict.fromkeys(["mini_sudoku", "sudoku"], _grid(digit)),
    **dict.fromkeys(["binary_matrix", "manipulate_matrix", "rotate_matrix"], _digits_or_numbers),
    **dict.fromkeys(["pool_matrix", "survo"], _grid(number)),
    **dict.fromkeys(["group_anagrams", "palindrome_partitioning"], _groups),
    "game_of_life": _json_bits,
    "kakurasu": _grid(bit),
    "modulo_grid": _marks,
    "n_queens": _queens,
}
