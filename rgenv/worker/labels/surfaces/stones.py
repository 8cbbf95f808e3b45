"""Boards of Go on which several groups of white stones look as if they could be captured.

Example::

    tsumego(entry)    # a lost group of another shape, and copies of it with a second liberty

The library captures one of three formations, always the same way round, on a board of scattered
stones. Here the board is replaced by one of the same size and about as many scattered stones, with
a white group of random shape that has one liberty. Copies of it, turned and mirrored, have a second
one where a black stone is moved away, and so have other groups. If the question asks for as many
stones as possible, smaller groups can be captured, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from rgenv.tasks.entry import Entry
from rgenv.worker.go import Board, Cell, neighbours, read_board, right_moves
from rgenv.worker.labels.surfaces.shared import random_of

LARGEST = 0.6
"""White stones of the lost group, at most, for each row of the board."""
COPIES, OTHERS, SMALLER = 3, 2, 2
"""Copies of the lost group, other groups with two liberties, and, where most stones are asked for,
smaller lost groups, at most."""
MAX_BOARDS, MAX_TRIES = 10, 20
"""Boards to try before an entry is given up, and places to try for each group."""


@dataclass(frozen=True)
class Group:
    """Equal stones that are connected, and the empty points beside them."""

    stone: str
    cells: frozenset[Cell]
    liberties: frozenset[Cell]


def tsumego(entry: Entry) -> Entry | None:
    """Replace the board by one with groups of any shape, of which one move captures one."""
    rng = random_of(entry)
    question = entry["question"]
    old = read_board(question)
    size = 1 + max(row for row, _ in old)
    stones = sum(stone != "." for stone in old.values())
    head, _, tail = question.partition("```")
    for _ in range(MAX_BOARDS):
        drawn = _drawn(rng, size, stones, most="as many white stones" in question)
        if drawn is None:
            continue
        board, (row, column) = drawn
        answer = f"{chr(ord('A') + column)}{size - row}"
        asked = f"{head}```\n{_written(board, size)}\n```{tail.partition('```')[2]}"
        if right_moves(asked) == {answer}:
            rows = [[board[r, c] for c in range(size)] for r in range(size)]
            metadata = {**entry["metadata"], "board": rows}
            return {**entry, "question": asked, "answer": answer, "metadata": metadata}
    return None


def _drawn(rng: Random, size: int, stones: int, *, most: bool) -> tuple[Board, Cell] | None:
    """Return a board and the move that captures on it; None if the lost group has no place.

    Args:
        stones: scattered stones and those of a group, about.
        most: whether smaller groups may be lost, too.
    """
    board = {(r, c): "." for r in range(size) for c in range(size)}
    largest = max(3, round(LARGEST * size))
    # The larger of two: a single stone is captured where most black stones are beside it.
    count = max(rng.randint(2 if most else 1, largest), rng.randint(1, largest))
    lost = _formation(rng, count)
    moves: list[Cell] = []
    plans = [(lost, 1)] + [(_with_gap(rng, lost), 2) for _ in range(COPIES)]
    for _ in range(rng.randint(1, OTHERS)):
        plans.append((_with_gap(rng, _formation(rng, max(1, count + rng.randint(-1, 3)))), 2))
    for _ in range(rng.randint(0, SMALLER) if most else 0):
        plans.append((_formation(rng, rng.randint(1, count - 1)), 1))
    first, rest = plans[0], plans[1:]
    rng.shuffle(rest)
    place = rng.randint(0, min(2, len(rest)))  # a group that comes later stands in another place
    right = None
    for formation, liberties in [*rest[:place], first, *rest[place:]]:
        placed = _placed(rng, board, formation, size, liberties, moves)
        if placed is not None:
            board, move = placed
            moves += [move] if liberties == 1 else []
            right = move if formation is lost else right
    if right is None:
        return None
    _scatter(rng, board, stones // 2, moves)
    return board, right


def _formation(rng: Random, count: int) -> Board:
    """Return a white group with black stones on all its liberties but one, and some beside that.

    Cells count from anywhere. A ``+`` marks the liberty.
    """
    white = {(0, 0)}
    around = sorted(neighbours((0, 0)))
    while len(white) < count:
        white.add(rng.choice(around))
        around = sorted({near for cell in white for near in neighbours(cell)} - white)
    move = rng.choice(around)
    formation = dict.fromkeys(around, "X") | dict.fromkeys(white, "O") | {move: "+"}
    for near in neighbours(move):
        if near not in formation and rng.random() < 0.6:
            formation[near] = rng.choice("XXO.")
    return formation


def _with_gap(rng: Random, formation: Board) -> Board:
    """Return a formation with a second liberty; its black stone is one of those around instead."""
    white = [cell for cell, stone in formation.items() if stone == "O"]
    beside = {near for cell in white for near in neighbours(cell)}
    gap = rng.choice(sorted(cell for cell in beside if formation.get(cell) == "X"))
    outer = {near for cell in formation for near in neighbours(cell)} - formation.keys()
    return {**formation, gap: ".", rng.choice(sorted(outer)): "X"}


def _placed(
    rng: Random, board: Board, formation: Board, size: int, liberties: int, moves: list[Cell]
) -> tuple[Board, Cell] | None:
    """Return the board with a formation anywhere, turned or mirrored, and where its mark stands.

    Black stones may stand beyond the edge. None if no place is found in which the group has as many
    liberties as it should, and no other group loses one that it needs.
    """
    for _ in range(MAX_TRIES):
        moved = _turned(rng, formation, size)
        if any(stone != "X" and cell not in board for cell, stone in moved.items()):
            continue
        mark = next(cell for cell, stone in moved.items() if stone == "+")
        cells = {c: stone.replace("+", ".") for c, stone in moved.items() if c in board}
        if any(board[cell] not in (".", stone) for cell, stone in cells.items()):
            continue
        after = {**board, **cells}
        if _is_possible(after, [*moves, mark] if liberties == 1 else moves):
            return after, mark
    return None


def _turned(rng: Random, formation: Board, size: int) -> Board:
    """Return the formation turned or mirrored, with its first stone anywhere on the board."""
    one, other, swap = rng.choice((1, -1)), rng.choice((1, -1)), rng.random() < 0.5
    down, right = rng.randrange(size), rng.randrange(size)
    turned = {
        ((c * one, r * other) if swap else (r * one, c * other)): stone
        for (r, c), stone in formation.items()
    }
    return {(r + down, c + right): stone for (r, c), stone in turned.items()}


def _is_possible(board: Board, moves: list[Cell]) -> bool:
    """Return whether all groups have a liberty, and all white ones but those lost have two."""
    for group in groups(board):
        lost = group.stone == "O" and any({move} == group.liberties for move in moves)
        if len(group.liberties) < (1 if lost or group.stone == "X" else 2):
            return False
    return all(board[move] == "." for move in moves)


def _scatter(rng: Random, board: Board, stones: int, moves: list[Cell]) -> None:
    """Put stones on free points, at most as many, where no group loses a liberty that it needs."""
    free = [cell for cell, stone in sorted(board.items()) if stone == "." and cell not in moves]
    rng.shuffle(free)
    for cell in free[:stones]:
        board[cell] = rng.choice("XO")
        if not _is_possible(board, moves):
            board[cell] = "."


def groups(board: Board) -> Iterator[Group]:
    """Yield the groups of a board."""
    left = {cell for cell, stone in board.items() if stone != "."}
    while left:
        start = left.pop()
        stone, cells, frontier = board[start], {start}, [start]
        liberties = set()
        while frontier:
            for near in neighbours(frontier.pop()):
                if board.get(near) == ".":
                    liberties.add(near)
                elif board.get(near) == stone and near not in cells:
                    cells.add(near)
                    frontier.append(near)
        left -= cells
        yield Group(stone, frozenset(cells), frozenset(liberties))


def _written(board: Board, size: int) -> str:
    lines = ["   " + " ".join(chr(ord("A") + column) for column in range(size))]
    for row in range(size):
        stones = " ".join(board[row, column] for column in range(size))
        lines.append(f"{size - row:2d} {stones}")
    return "\n".join(lines)
