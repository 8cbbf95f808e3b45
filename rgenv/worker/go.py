"""Find the moves that answer a question of tsumego, by the rules of Go.

Example::

    right_moves("Black to play and capture some stones. ...")    # {"C4", "F7"}

A move that captures is legal, whatever its own liberties. The questions tell no earlier move, so no
point is forbidden by the rule of ko.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

Cell = tuple[int, int]
"""Row, counted from the top, and column."""
Board = dict[Cell, str]
"""``X`` for black, ``O`` for white and ``.`` for an empty point."""


@lru_cache(maxsize=64)  # a group of completions answers one question
def right_moves(question: str) -> frozenset[str]:
    """Return the moves that capture, or those that capture most if the question asks for that."""
    captures = _captures(read_board(question))
    asks_for_most = "as many white stones as possible" in question
    least = max(1, *captures.values()) if asks_for_most else 1
    return frozenset(move for move, stones in captures.items() if stones >= least)


def read_board(question: str) -> Board:
    """Return the board within the code fence of `question`; its first line names the columns."""
    lines = question.split("```")[1].strip("\n").split("\n")[1:]
    return {(r, c): x for r, line in enumerate(lines) for c, x in enumerate(line[3:].split())}


def _captures(board: Board) -> dict[str, int]:
    """Return how many white stones a black stone on each empty point captures, by its name."""
    rows = 1 + max(row for row, _ in board)
    return {
        f"{chr(ord('A') + column)}{rows - row}": len(captured(board, (row, column)))
        for (row, column), stone in board.items()
        if stone == "."
    }


def captured(board: Board, move: Cell) -> set[Cell]:
    """Return the white stones that a black stone at `move` captures."""
    lost: set[Cell] = set()
    for start in neighbours(move):
        if board.get(start) == "O" and start not in lost:
            group, frontier = {start}, [start]
            has_liberty = False
            while frontier:
                for cell in neighbours(frontier.pop()):
                    if board.get(cell) == "O" and cell not in group:
                        group.add(cell)
                        frontier.append(cell)
                    has_liberty = has_liberty or (board.get(cell) == "." and cell != move)
            lost |= set() if has_liberty else group
    return lost


def neighbours(cell: Cell) -> Iterable[Cell]:
    """Return the four cells beside a cell, on the board or not."""
    row, column = cell
    return (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)
