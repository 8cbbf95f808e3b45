"""Boards of Go on which several groups of white stones look as if they could be captured.

Example::

    tsumego(entry)    # two more groups like the one that is lost, each with a second liberty

The library puts a dense formation on a board of scattered stones, so the densest place is the
answer. Here copies of the formation are added, turned and mirrored, in each of which a black stone
beside the white ones is moved away. Only a group that has a single liberty can be captured.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from rgenv.worker.entry import Entry
from rgenv.worker.go import Board, Cell, captured, neighbours, read_board, right_moves
from rgenv.worker.labels.surfaces.shared import random_of

COPIES = 3
"""Copies of the formation, where the board has room."""
MAX_TRIES = 120
"""Places to try in all."""


def tsumego(entry: Entry) -> Entry | None:
    """Add copies of the formation that can't be captured in one move."""
    rng = random_of(entry)
    head, _, tail = entry["question"].partition("```")
    right = right_moves(entry["question"])
    board = read_board(entry["question"])
    size = 1 + max(row for row, _ in board)
    row, column = size - int(entry["answer"][1:]), ord(entry["answer"][0]) - ord("A")
    formation = _formation(board, (row, column))
    gaps = _gaps(formation, (row, column))
    near = [(row + r, column + c) for r in range(-2, 3) for c in range(-2, 3)]
    outer = [cell for cell in near if cell not in formation]
    copies = 0
    for _ in range(MAX_TRIES if gaps else 0):
        moved = {rng.choice(gaps): ".", **({rng.choice(outer): "X"} if outer else {})}
        copy = _turned(rng, {**formation, **moved}, size)
        after = {**board, **copy}
        if not _fits(board, copy) or _has_lost_stones(after):
            continue
        question = f"{head}```\n{_written(after, size)}\n```{tail.partition('```')[2]}"
        if right_moves(question) == right:
            entry = {**entry, "question": question}
            board = after
            copies += 1
        if copies == COPIES:
            break
    rows = [[board[row, column] for column in range(size)] for row in range(size)]
    return {**entry, "metadata": {**entry["metadata"], "board": rows}}


def _formation(board: Board, move: Cell) -> Board:
    """Return the stones that the move captures, the cells beside them, and those around the move.

    The edge of the board counts as black stones.
    """
    lost = captured(board, move)
    around = {(move[0] + row, move[1] + column) for row in (-1, 0, 1) for column in (-1, 0, 1)}
    cells = lost | {cell for stone in lost for cell in neighbours(stone)}
    inner = {cell: board.get(cell, "X") for cell in cells}
    return {cell: board[cell] for cell in around & board.keys()} | inner


def _gaps(formation: Board, move: Cell) -> list[Cell]:
    """Return the black stones beside white ones, only those away from the move if there are any."""
    black = [
        cell
        for cell, stone in sorted(formation.items())
        if stone == "X" and any(formation.get(beside) == "O" for beside in neighbours(cell))
    ]
    away = [cell for cell in black if max(abs(cell[0] - move[0]), abs(cell[1] - move[1])) > 1]
    return away or black


def _turned(rng: Random, formation: Board, size: int) -> Board:
    """Return the formation turned or mirrored, at a random place of the board."""
    one, other, swap = rng.choice((1, -1)), rng.choice((1, -1)), rng.random() < 0.5
    cells = {
        cell: ((cell[1] * one, cell[0] * other) if swap else (cell[0] * one, cell[1] * other))
        for cell in formation
    }
    down, right = (
        rng.randrange(size) - rng.choice(sorted({place[axis] for place in cells.values()}))
        for axis in (0, 1)
    )
    return {(r + down, c + right): formation[cell] for cell, (r, c) in cells.items()}


def _fits(board: Board, copy: Board) -> bool:
    """Return whether the stones of a copy stand on empty cells, or on stones of their colour."""
    return all(board.get(cell) in (".", stone) for cell, stone in copy.items())


def _has_lost_stones(board: Board) -> bool:
    """Return whether a group has no liberty, so that the board is impossible."""
    return any(not _has_liberty(board, cell) for cell, stone in board.items() if stone != ".")


def _has_liberty(board: Board, start: Cell) -> bool:
    group, frontier = {start}, [start]
    while frontier:
        for cell in neighbours(frontier.pop()):
            if board.get(cell) == ".":
                return True
            if board.get(cell) == board[start] and cell not in group:
                group.add(cell)
                frontier.append(cell)
    return False


def _written(board: Board, size: int) -> str:
    return "\n".join(_lines(board, size))


def _lines(board: Board, size: int) -> Iterator[str]:
    yield "   " + " ".join(chr(ord("A") + column) for column in range(size))
    for row in range(size):
        yield f"{size - row:2d} " + " ".join(board[row, column] for column in range(size))
