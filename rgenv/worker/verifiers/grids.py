"""Boards: credit for the cells that were not given, and for those only.

A sudoku copied with a 1 in each blank has half of its cells right, and an empty board of the Game
of Life 96 % of them; the library pays as much.

Not covered: a second solution of a sudoku or futoshiki; puzzles are made to have one.
"""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import Any

from rgenv.worker.verifiers.shared import Entry, Library, above, asked, beyond_half

Board = list[list[int]]

UNUSUAL = 0.9
"""What the library pays at most for a right board in another format than the question's."""
_SUDOKU = re.compile(r"[\d\s|,\[\]+-]*", re.ASCII)
_FUTOSHIKI = re.compile(r"[\d\s<>∧∨^v|,\[\]-]*", re.ASCII)


def sudoku(answer: str, entry: Entry, library: Library) -> float:
    """Blanks filled in rightly, beyond a half of them; the library paid 0.51 for the puzzle with
    a 1 in each blank."""
    return _filled(answer, entry, _SUDOKU)


def futoshiki(answer: str, entry: Entry, library: Library) -> float:
    """Blanks filled in rightly, beyond a half of them; the library paid 0.40 for the puzzle with
    a 1 in each blank."""
    given, right = (_without_digits(text) for text in (answer, str(entry["answer"])))
    signs_stand = given == right or not set(given) & set("<>∧∨^v")
    return _filled(answer, entry, _FUTOSHIKI) if signs_stand else 0.0


def _without_digits(text: str) -> str:
    return re.sub(r"\d", "#", re.sub(r"\s", "", text))


def _filled(answer: str, entry: Entry, shape: re.Pattern[str]) -> float:
    if _lines(answer) == _lines(str(entry["answer"])):
        return 1.0
    puzzle, solution = entry["metadata"]["puzzle"], entry["metadata"]["solution"]
    if not shape.fullmatch(answer):
        return 0.0
    rows = ([int(digit) for digit in re.findall("[1-9]", row)] for row in answer.splitlines())
    return UNUSUAL * filled([row for row in rows if row], puzzle, solution)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def filled(board: Board, puzzle: Board, solution: Board) -> float:
    """The share of blanks that hold what they should, beyond a half; 0.0 if a given was changed.

    No number is in more than half of the blanks of a row and column puzzle.
    """
    if [len(row) for row in board] != [len(row) for row in solution]:
        return 0.0
    cells = list(zip(*(list(chain(*rows)) for rows in (board, puzzle, solution)), strict=True))
    if any(given and cell != given for cell, given, _ in cells):
        return 0.0
    blanks = [cell == right for cell, given, right in cells if not given]
    return beyond_half(sum(blanks) / max(len(blanks), 1))


def game_of_life(answer: str, entry: Entry, library: Library) -> float:
    """Right cells, measured from what an empty, a full or the copied board has; the library paid
    0.96 for an empty one."""
    right, given = json.loads(str(entry["answer"])), _json(answer)
    if not _same_shape(given, right):
        return 0.0
    if given == right:
        return 1.0
    copied = _json(_BOARD.findall(entry["question"])[-1])
    constant = ([[value] * len(row) for row in right] for value in (0, 1))
    blind = max(_agreement(board, right) for board in (*constant, copied))
    return above(blind, _agreement(given, right))


_BOARD = re.compile(r"\[\[[\d,\s\[\]]*\]\]")


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _same_shape(board: Any, other: Board) -> bool:
    return (
        isinstance(board, list)
        and len(board) == len(other)
        and all(isinstance(row, list) and len(row) == len(other[0]) for row in board)
    )


def _agreement(board: Board, right: Board) -> float:
    pairs = [(a, b) for x, y in zip(board, right, strict=True) for a, b in zip(x, y, strict=True)]
    return sum(a == b for a, b in pairs) / len(pairs)


def kakurasu(answer: str, entry: Entry, library: Library) -> float:
    """A right board and no text with it; the library reads 0 and 1 wherever they stand."""
    return float(bool(re.fullmatch(r"[01\s,|\[\]]*", answer)) and asked(library, answer) >= 1.0)


def survo(answer: str, entry: Entry, library: Library) -> float:
    """A right board and no text with it; the library passes over what is no number."""
    alone = re.fullmatch(r"[-\d\s]*", answer, re.ASCII)
    return float(alone is not None and len(answer) < 4_000 and asked(library, answer) >= 1.0)
