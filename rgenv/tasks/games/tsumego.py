"""Find the move that captures stones in the game of Go."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

from rgenv.tasks import Answer, Answers, Entry, Forms, LibraryVerifier, Task, moving
from rgenv.tasks.answers.notation import plain_signs
from rgenv.tasks.boards import STEPS, Cell
from rgenv.tasks.rewriting import changed, random_of
from rgenv.tasks.symmetries import turned_and_renamed

Board = dict[Cell, str]
"""``X`` for black, ``O`` for white and ``.`` for an empty point."""


@dataclass(frozen=True)
class Group:
    """Equal stones that are connected, and the empty points beside them."""

    stone: str
    cells: frozenset[Cell]
    liberties: frozenset[Cell]


def _rows(question: str) -> list[list[str]]:
    """Return the board within the code fence of `question`; its first line names the columns."""
    lines = question.split("```")[1].strip("\n").split("\n")[1:]
    return [line[3:].split() for line in lines]


def read_board(question: str) -> Board:
    return {(r, c): x for r, row in enumerate(_rows(question)) for c, x in enumerate(row)}


def _name(row: int, column: int, size: int) -> str:
    return f"{chr(ord('A') + column)}{size - row}"


def neighbours(cell: Cell) -> tuple[Cell, ...]:
    """Return the four cells beside a cell, on the board or not."""
    row, column = cell
    return (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)


def groups(board: Board) -> Iterator[Group]:
    left = {cell: stone for cell, stone in board.items() if stone != "."}
    while left:
        stone, cells, liberties = group_at(board, next(iter(left)))
        for cell in cells:
            del left[cell]
        yield Group(stone, frozenset(cells), frozenset(liberties))


def group_at(board: Board, cell: Cell) -> tuple[str, set[Cell], set[Cell]]:
    """Return the stone at a cell, the cells of its group, and the liberties of that."""
    stone, cells, liberties, stack = board[cell], {cell}, set[Cell](), [cell]
    while stack:
        for near in neighbours(stack.pop()):
            found = board.get(near)
            if found == ".":
                liberties.add(near)
            elif found == stone and near not in cells:
                cells.add(near)
                stack.append(near)
    return stone, cells, liberties


def captured(board: Board) -> dict[Cell, frozenset[Cell]]:
    """Return the white stones that a black stone captures, for each point where it captures any."""
    lost: dict[Cell, frozenset[Cell]] = {}
    for group in groups(board):
        if group.stone == "O" and len(group.liberties) == 1:
            [move] = group.liberties
            lost[move] = lost.get(move, frozenset()) | group.cells
    return lost


def _asks_for_most(question: str) -> bool:
    return "as many white stones as possible" in question


@lru_cache(maxsize=64)  # a group of completions answers one question
def right_moves(question: str) -> frozenset[str]:
    """Return the moves that capture, or those that capture most if the question asks for that."""
    lost, size = captured(read_board(question)), len(_rows(question))
    least = max(map(len, lost.values()), default=1) if _asks_for_most(question) else 1
    return frozenset(_name(*move, size) for move, stones in lost.items() if len(stones) >= least)


_POINT = re.compile(r"\(?([A-Za-z])[ ,]{0,2}(\d{1,2})\)?", re.ASCII)


class Point(Answer):
    """A point such as ``C4``, ``c4`` or ``(C, 4)``."""

    name = "moves"

    def read(self, text: str, entry: Entry) -> str | None:
        point = _POINT.fullmatch(plain_signs(text.strip()))
        return f"{point[1].upper()}{int(point[2])}" if point else None

    def forms(self, reference: str, question: str) -> Forms:
        return {"lower case": reference.lower()}

    def misses(self, reference: str, question: str, rng: Random) -> Forms:
        size = len(_rows(question))
        points = [_name(r, c, size) for c in range(size) for r in reversed(range(size))]
        others = [point for point in points if point != reference]
        return {f"other {number}": text for number, text in enumerate(rng.sample(others, 3), 1)}

    def may_be_right(self, text: str, question: str) -> bool:
        """A move that captures stones may be right where "some" are asked for."""
        size = len(_rows(question))
        return text in {_name(*move, size) for move in captured(read_board(question))}


LARGEST = 0.6
"""White stones of the lost group, at most, for each row of the board."""
COPIES, OTHERS, SMALLER = 3, 2, 3
"""Copies of the lost group, other groups with two liberties, and, where most stones are asked for,
smaller lost groups, at most."""
MAX_BOARDS, MAX_TRIES = 10, 20
"""Boards to try before an entry is given up, and places to try for each group."""


def correct(entry: Entry) -> Entry | None:
    """Replace the board by one with groups of any shape, of which one move captures one.

    The library adds a decoy stone that can save the stones it means to be captured.
    """
    rng = random_of(entry)
    question = entry["question"]
    rows = _rows(question)
    size, stones = len(rows), sum(stone != "." for row in rows for stone in row)
    head, _, tail = question.partition("```")
    for _ in range(MAX_BOARDS):
        drawn = _drawn(rng, size, stones, most=_asks_for_most(question))
        if drawn is None:
            continue
        board, move = drawn
        rows = [[board[r, c] for c in range(size)] for r in range(size)]
        lines = ["   " + " ".join(chr(ord("A") + column) for column in range(size))]
        lines += [f"{size - r:2d} {' '.join(row)}" for r, row in enumerate(rows)]
        fence = "\n".join(["```", *lines, "```"])
        asked, answer = head + fence + tail.partition("```")[2], _name(*move, size)
        if right_moves(asked) == {answer}:
            return changed(entry, asked, answer, board=rows)
    return None


def _drawn(rng: Random, size: int, stones: int, *, most: bool) -> tuple[Board, Cell] | None:
    """Return a board and the move that captures on it; None if the lost group has no place.

    If `most` stones are asked for, smaller groups are lost, too.
    """
    board = {(r, c): "." for r in range(size) for c in range(size)}
    largest = max(3, round(LARGEST * size))
    # The larger of two: a single stone is captured where most black stones are beside it.
    count = max(rng.randint(2 if most else 1, largest), rng.randint(1, largest))
    lost = _formation(rng, count)
    moves: list[Cell] = []
    others = [(_with_gap(rng, lost), 2) for _ in range(COPIES)]
    for _ in range(rng.randint(1, OTHERS)):
        others.append((_with_gap(rng, _formation(rng, max(1, count + rng.randint(-1, 3)))), 2))
    for _ in range(rng.randint(SMALLER - 1, SMALLER) if most else 0):
        others.append((_formation(rng, rng.randint(1, count - 1)), 1))
    rng.shuffle(others)
    place = rng.randint(0, min(2, len(others)))  # a group that comes later stands in another place
    right = None
    for formation, liberties in [*others[:place], (lost, 1), *others[place:]]:
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
        if _is_possible(after, [*moves, mark] if liberties == 1 else moves, cells):
            return after, mark
    return None


def _turned(rng: Random, formation: Board, size: int) -> Board:
    """Return the formation turned or mirrored, with its first stone anywhere on the board."""
    one, other, swap = rng.choice((1, -1)), rng.choice((1, -1)), rng.random() < 0.5
    down, right = rng.randrange(size), rng.randrange(size)
    pairs = (((c, r) if swap else (r, c), stone) for (r, c), stone in formation.items())
    return {(r * one + down, c * other + right): stone for (r, c), stone in pairs}


def _is_possible(board: Board, moves: list[Cell], new: Iterable[Cell]) -> bool:
    """Return whether all groups have a liberty, and all white ones but those lost have two.

    That was so before some of the cells were `new`, so nothing but the groups there can be wrong.
    """
    left = {
        near for cell in new for near in (cell, *neighbours(cell)) if board.get(near) in ("X", "O")
    }
    while left:
        stone, cells, liberties = group_at(board, left.pop())
        left -= cells
        lost = stone == "O" and any({move} == liberties for move in moves)
        if len(liberties) < (1 if lost or stone == "X" else 2):
            return False
    return all(board[move] == "." for move in moves)


def _scatter(rng: Random, board: Board, stones: int, moves: list[Cell]) -> None:
    """Put stones on free points, at most as many, where no group loses a liberty that it needs."""
    free = [cell for cell, stone in sorted(board.items()) if stone == "." and cell not in moves]
    rng.shuffle(free)
    for cell in free[:stones]:
        board[cell] = rng.choice("XO")
        if not _is_possible(board, moves, [cell]):
            board[cell] = "."


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for any move that does what the question asks for.

    The library knows one move, but gives 0.25 to it among other words. Two of the three wordings
    ask to capture some stones, not most.
    """
    return float(answer.strip().upper() in right_moves(entry["question"]))


SQUARE, WIDE = (
    [(down, right) for down, right in product(range(-far, far + 1), repeat=2)] for far in (1, 2)
)


def shortcuts(question: str) -> Answers:
    """Play on the free point with most stones around, or beside the group with most black ones."""
    board, size = read_board(question), len(_rows(question))

    def count(stones: str, cell: Cell, steps: Sequence[Cell]) -> int:
        """Count stones at some steps from a cell; ``#`` is beyond the edge."""
        r, c = cell
        return sum(board.get((r + down, c + right), "#") in stones for down, right in steps)

    def most_black(cell: Cell) -> int:
        white = [near for near in neighbours(cell) if board.get(near) == "O"]
        return max((count("X#", stone, STEPS) for stone in white), default=-1)

    def beside_most_black(cell: Cell) -> int:
        return max((black for free, black in blacks if cell in free), default=-1)

    blacks = [(g.liberties, _black_around(g, board)) for g in groups(board) if g.stone == "O"]
    keys: dict[str, Callable[[Cell], Any]] = {
        "most stones around": lambda c: count("XO", c, STEPS),  # .16
        "beside white, most stones within two": (  # .18
            lambda c: count("O", c, STEPS) and count("XO", c, WIDE)
        ),
        "beside the white stone with most black around": (  # .14
            lambda c: (most_black(c), count("X#", c, SQUARE))
        ),
        "beside the group with most black stones": beside_most_black,  # .49
    }
    free = [cell for cell, stone in board.items() if stone == "."]
    return {name: _name(*max(free, key=key), size) for name, key in keys.items()}


def _black_around(group: Group, board: Board) -> int:
    around = {near for cell in group.cells for near in neighbours(cell)}
    return sum(board.get(cell) == "X" for cell in around)


def family(entry: Entry) -> object:
    """Keep the board; ignore rotations, mirrors, the two colours."""
    return turned_and_renamed(_rows(entry["question"]))


TASK = Task(
    answer=Point(),
    correct=correct,
    verify=verify,
    shortcuts=shortcuts,
    family=family,
    # Small boards have few stones; the number of stones grows with the board.
    levels=moving(
        board_size=[(9, 9), (10, 11), (11, 12), (13, 14), (15, 16)], max_stones=[12, 18, 26, 38, 52]
    ),
)
