"""Verifiers for boards of numbers, with credit for the cells that had to be found.

A sudoku copied with a 1 in each blank has half of its cells right, and an empty board of the Game
of Life 96 % of them. The library scores both accordingly; here both score 0.0.

Not here: other ways to write a board (rgenv/tasks/answers/), and a second solution of a sudoku or
futoshiki. The puzzles are made to have only one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import chain
from typing import Any

from rgenv.tasks.entry import Entry
from rgenv.worker.verifiers.shared import (
    LibraryVerifier,
    credit_above,
    credit_above_half,
    library_score,
    parse_json,
)

Board = list[list[int]]

_LIFE_BOARD = re.compile(r"\[\[[\d,\s\[\]]*\]\]")


def sudoku(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the blanks are right.

    The library gives 0.51 to the puzzle with a 1 in each blank.
    """
    if not re.fullmatch(r"[\d \n]+", answer, re.ASCII):
        return 0.0
    return _blanks_score(answer, entry)


def futoshiki(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the blanks are right.

    The library gives 0.40 to the puzzle with a 1 in each blank.
    """
    if re.sub(r"\d", "#", answer) != re.sub(r"\d", "#", str(entry["answer"])):
        return 0.0
    return _blanks_score(answer, entry)


def _blanks_score(answer: str, entry: Entry) -> float:
    """Give credit if more than half of the blanks are right; 0.0 if a given cell was changed.

    In a puzzle of rows and columns no number belongs in more than half of the blanks.
    """
    rows = ([int(digit) for digit in re.findall("[0-9]", row)] for row in answer.splitlines())
    board = [row for row in rows if row]
    puzzle, solution = entry["metadata"]["puzzle"], entry["metadata"]["solution"]
    if [len(row) for row in board] != [len(row) for row in solution]:
        return 0.0
    cells = list(zip(*(list(chain(*rows)) for rows in (board, puzzle, solution)), strict=True))
    if any(given and cell != given for cell, given, _ in cells):
        return 0.0
    blanks = [cell == right for cell, given, right in cells if not given]
    return credit_above_half(sum(blanks) / max(len(blanks), 1))


def game_of_life(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more cells are right than on an empty, a full and the copied board.

    The library gives 0.96 to an empty board.
    """
    right, given = json.loads(str(entry["answer"])), parse_json(answer)
    if not _same_shape(given, right):
        return 0.0
    if given == right:
        return 1.0
    copied = parse_json(_LIFE_BOARD.findall(entry["question"])[-1])
    constants = ([[value] * len(row) for row in right] for value in (0, 1))
    blind = max(_share_equal(board, right) for board in (*constants, copied))
    return credit_above(blind, _share_equal(given, right))


def _same_shape(board: Any, other: Board) -> bool:
    return (
        isinstance(board, list)
        and len(board) == len(other)
        and all(isinstance(row, list) and len(row) == len(other[0]) for row in board)
    )


def _share_equal(board: Board, right: Board) -> float:
    pairs = [(a, b) for x, y in zip(board, right, strict=True) for a, b in zip(x, y, strict=True)]
    return sum(a == b for a, b in pairs) / len(pairs)


def kakurasu(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a right board without text; the library picks 0s and 1s out of prose."""
    board_only = re.fullmatch(r"[01 \n]*", answer)
    return float(board_only is not None and library_score(library, answer) >= 1.0)


def survo(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for any board whose sums are right, with each number placed once.

    The library knows one such board, and skips whatever is not a number.
    """
    metadata = entry["metadata"]
    puzzle = metadata["puzzle"]
    if len(answer) > 4_000 or not re.fullmatch(r"[-\d \n]*", answer, re.ASCII):
        return 0.0
    board = [[int(n) for n in re.findall(r"-?\d{1,9}", row)] for row in answer.splitlines() if row]
    if not _same_shape(board, puzzle):
        return 0.0
    cells = [pair for rows in zip(board, puzzle, strict=True) for pair in zip(*rows, strict=True)]
    placed = Counter(cell for cell, given in cells if not given)
    is_filled = all(cell == given for cell, given in cells if given)
    sums_agree = all(sum(line[:-1]) == line[-1] for line in [*board, *zip(*board, strict=True)])
    return float(is_filled and sums_agree and placed <= Counter(metadata["candidate_numbers"]))
