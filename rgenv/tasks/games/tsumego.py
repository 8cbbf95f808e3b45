"""Find the move that captures stones in the game of Go."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import plain_signs
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Answers, Levels, LibraryVerifier, Task
from rgenv.tasks.rewriting import in_turn, random_of
from rgenv.tasks.symmetries import turned_and_renamed

_POINT = re.compile(r"\(?([A-Za-z])[ ,]{0,2}(\d{1,2})\)?", re.ASCII)


def _is_free(start: tuple[int, int], board: Mapping[tuple[int, int], str]) -> bool:
    """Return whether the group of stones at `start` has a liberty."""
    group, waiting = {start}, [start]
    while waiting:
        for point in _beside(waiting.pop()):
            if board.get(point) == ".":
                return True
            if board.get(point) == board[start] and point not in group:
                group.add(point)
                waiting.append(point)
    return False


def _beside(point: tuple[int, int]) -> list[tuple[int, int]]:
    row, column = point
    return [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]


class Point(Answer):
    """A point such as ``C4``, ``c4`` or ``(C, 4)``."""

    name = "moves"

    def read(self, text: str, entry: Entry) -> str | None:
        point = _POINT.fullmatch(plain_signs(text.strip()))
        return f"{point[1].upper()}{int(point[2])}" if point else None

    def forms(self, reference: str, question: str) -> Forms:
        return {"lower case": reference.lower()}

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        columns = question.split("```")[1].split("\n")[1].split()
        points = [f"{column}{row}" for column in columns for row in range(1, len(columns) + 1)]
        others = [point for point in points if point != reference]
        return {f"other {number}": text for number, text in enumerate(rng.sample(others, 3), 1)}

    def may_be_right(self, text: str, question: str) -> bool:
        """A move that captures stones may be right where "some" are asked for."""
        rows = question.split("```")[1].strip("\n").split("\n")[1:]
        board = {(r, c): s for r, row in enumerate(rows) for c, s in enumerate(row[3:].split())}
        point = (len(rows) - int(text[1:]), "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(text[0]))
        if board.get(point) != ".":
            return False
        return any(
            board.get(start) == "O" and not _is_free(start, board | {point: "X"})
            for start in _beside(point)
        )


def provable(entry: Entry) -> Entry | None:
    """Return the entry; None unless its move is right.

    The library adds a decoy stone that can save the stones it means to be captured.
    """
    return entry if entry["answer"] in right_moves(entry["question"]) else None


LARGEST = 0.6
"""White stones of the lost group, at most, for each row of the board."""
COPIES, OTHERS, SMALLER = 3, 2, 2
"""Copies of the lost group, other groups with two liberties, and, where most stones are asked for,
smaller lost groups, at most."""
MAX_BOARDS, MAX_TRIES = 10, 20
"""Boards to try before an entry is given up, and places to try for each group."""
Cell = tuple[int, int]
"""Row, counted from the top, and column."""


@dataclass(frozen=True)
class Group:
    """Equal stones that are connected, and the empty points beside them."""

    stone: str
    cells: frozenset[Cell]
    liberties: frozenset[Cell]


def rewritten(entry: Entry) -> Entry | None:
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


Board = dict[Cell, str]
"""``X`` for black, ``O`` for white and ``.`` for an empty point."""


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


@lru_cache(maxsize=64)  # a group of completions answers one question
def right_moves(question: str) -> frozenset[str]:
    """Return the moves that capture, or those that capture most if the question asks for that."""
    captures = _captures(read_board(question))
    asks_for_most = "as many white stones as possible" in question
    least = max(1, *captures.values()) if asks_for_most else 1
    return frozenset(move for move, stones in captures.items() if stones >= least)


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


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for any move that does what the question asks for.

    The library knows one move, but gives 0.25 to it among other words. Two of the three wordings
    ask to capture some stones, not most.
    """
    return float(answer.strip().upper() in right_moves(entry["question"]))


def shortcuts(question: str) -> Answers:
    """Play on the free point with most stones around, or beside the group with most black ones."""
    lines = question.split("```\n", 1)[1].split("\n```", 1)[0].split("\n")
    names, size = lines[0].split(), len(lines) - 1
    width = size + 2
    edge = "#" * (2 * width + 2)
    board = edge + "".join("".join(line.split()[1:]) + "##" for line in lines[1:]) + edge
    around = (-width, -1, 1, width, -width - 1, -width + 1, width - 1, width + 1)
    wide = [row * width + column for row in range(-2, 3) for column in range(-2, 3)]
    free = [place for place, stone in enumerate(board) if stone == "."]
    near = {place: [board[place + step] for step in around] for place in free}

    def most_black(place: int) -> int:
        beside = (place + step for step in around[:4])
        white = (stone for stone in beside if board[stone] == "O")
        return max((sum(board[w + s] in "X#" for s in around[:4]) for w in white), default=-1)

    chosen = {
        "most stones around": max(  # .16
            free, key=lambda p: sum(s in "XO" for s in near[p][:4])
        ),
        "most white around": max(free, key=lambda p: near[p][:4].count("O")),  # .15
        "most stones in the square around": max(  # .22
            free, key=lambda p: sum(s in "XO" for s in near[p])
        ),
        "most white in the square around": max(free, key=lambda p: near[p].count("O")),  # .16
        "beside white, most stones within two": max(  # .18
            free, key=lambda p: ("O" in near[p][:4]) * sum(board[p + step] in "XO" for step in wide)
        ),
        "beside the white stone with most black around": max(  # .14
            free, key=lambda p: (most_black(p), sum(s in "X#" for s in near[p]))
        ),
        "beside the group with most black stones": _beside_most_black(board, width),  # .49
    }
    places = {name: divmod(place - len(edge), width) for name, place in chosen.items()}
    return {name: f"{names[column]}{size - row}" for name, (row, column) in places.items()}


def _beside_most_black(board: str, width: int) -> int:
    """Return a free place beside the white group that has the most black stones beside it."""
    left = {place for place, stone in enumerate(board) if stone == "O"}
    most, chosen = -1, 0
    while left:
        group = [left.pop()]
        beside = set()
        for place in group:
            beside |= {place + step for step in (-width, -1, 1, width)}
            group += sorted(beside & left)
            left -= beside
        black = sum(board[place] == "X" for place in beside)
        if black > most:
            free = (place for place in sorted(beside) if board[place] == ".")
            most, chosen = black, next(free, chosen)
    return chosen


def family(entry: Entry) -> object:
    """Keep the board; ignore rotations, mirrors, the two colours."""
    rows = re.findall(r"^ *\d+ ((?:[XO.] ?)+)$", entry["question"], re.MULTILINE)
    return turned_and_renamed([row.split() for row in rows])


TASK = Task(
    answer=Point(),
    correct=in_turn(provable, rewritten),
    verify=verify,
    shortcuts=shortcuts,
    several_answers=True,
    family=family,
    # Small boards have few stones; the number of stones grows with the board.
    levels=Levels(
        knots={
            "min_board_size": [9, 10, 11, 13, 15],
            "max_board_size": [9, 11, 12, 14, 16],
            "max_stones": [12, 18, 26, 38, 52],
        }
    ),
)
