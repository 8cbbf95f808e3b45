"""Find the move that captures stones in the game of Go."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from rgenv.tasks import Answer, Answers, Entry, LibraryVerifier, Task, moving
from rgenv.tasks.answers.notation import plain_signs
from rgenv.tasks.boards import Cell
from rgenv.tasks.rewriting import changed, random_of, replaced
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
        first, stone = next(iter(left.items()))
        cells, liberties, stack = {first}, set[Cell](), [first]
        while stack:
            for near in neighbours(stack.pop()):
                found = board.get(near)
                if found == ".":
                    liberties.add(near)
                elif found == stone and near not in cells:
                    cells.add(near)
                    stack.append(near)
        for cell in cells:
            del left[cell]
        yield Group(stone, frozenset(cells), frozenset(liberties))


def captured(board: Board) -> dict[Cell, frozenset[Cell]]:
    """Return the white stones that a black stone captures, for each point where it captures any."""
    lost: dict[Cell, frozenset[Cell]] = {}
    for group in groups(board):
        if group.stone == "O" and len(group.liberties) == 1:
            [move] = group.liberties
            lost[move] = lost.get(move, frozenset()) | group.cells
    return lost


@lru_cache(maxsize=64)  # a group of completions answers one question
def right_moves(question: str) -> frozenset[str]:
    """Return the moves that capture; only the ones that capture most, if the question asks so."""
    return _moves(question, most="as many white stones as possible" in question)


def _moves(question: str, *, most: bool) -> frozenset[str]:
    lost, size = captured(read_board(question)), len(_rows(question))
    least = max(map(len, lost.values()), default=1) if most else 1
    return frozenset(_name(*move, size) for move, stones in lost.items() if len(stones) >= least)


_POINT = re.compile(r"\(?([A-Za-z])[ ,]{0,2}(\d{1,2})\)?", re.ASCII)


class Point(Answer):
    """A point such as ``C4``, ``c4`` or ``(C, 4)``."""

    name = "moves"

    def read(self, text: str, entry: Entry) -> str | None:
        point = _POINT.fullmatch(plain_signs(text.strip()))
        return f"{point[1].upper()}{int(point[2])}" if point else None


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None unless its move captures most, and each group has a liberty.

    The library adds a decoy stone that can save the stones it means to be captured, and may take
    the last liberty of other groups.
    """
    question = entry["question"]
    alive = all(group.liberties for group in groups(read_board(question)))
    return entry if alive and _moves(question, most=True) == {entry["answer"]} else None


TRIES, CROWDED, SHARE = 30, 2, 10
"""Groups that are tried, times as many stones as the library's board has, and stones of a board for
each white one of the lost group, at most."""


def harden(entry: Entry) -> Entry | None:
    """Surround more groups: the one with most black around is lost in 1.00 of theirs, .2 of these.

    One group has a single liberty, the others have more. The library's stones follow as long as
    there is room: if `max_stones` was asked for, there are at most as many as the library has.
    """
    rng, question = random_of(entry), entry["question"]
    old = read_board(question)
    board, most = dict.fromkeys(old, "."), sum(stone != "." for stone in old.values())
    most *= 1 if "max_stones" in entry["config"] else CROWDED
    count = rng.randint(2, max(3, most // SHARE))
    lost = _surrounded(rng, board, count, liberties=1)
    [move] = captured(board | lost)
    board = _with(board, lost, move, most)
    for _ in range(TRIES):
        group = _surrounded(rng, board, count + rng.randint(-1, 2), liberties=2)
        board = _with(board, group, move, most)
    for cell, stone in old.items():
        if board[cell] == ".":
            board = _with(board, {cell: stone}, move, most)
    before, after = _written(old), _written(board)
    rows = [line.split()[1:] for line in after.split("\n")]
    answer = _name(*move, len(rows))
    return correct(changed(entry, replaced(question, before, after), answer, board=rows))


def _surrounded(rng: Random, board: Board, count: int, liberties: int) -> Board:
    """Return white stones on free points, and black ones on all points beside them but some."""
    around = [cell for cell, stone in board.items() if stone == "."]
    white: set[Cell] = set()
    while around and len(white) < count:
        white.add(rng.choice(around))
        beside = {cell for stone in white for cell in neighbours(stone)} - white
        around = sorted(cell for cell in beside if board.get(cell) == ".")
    black = rng.sample(around, max(0, len(around) - liberties))
    return dict.fromkeys(white, "O") | dict.fromkeys(black, "X")


def _with(board: Board, new: Board, move: Cell, most: int) -> Board:
    """Return the board with new stones if they are not too many, and no more groups are lost."""
    after = board | new
    fits = after[move] == "." and sum(stone != "." for stone in after.values()) <= most
    for group in groups(after) if fits else ():
        least = 2 if group.stone == "O" and group.liberties != {move} else 1
        fits &= len(group.liberties) >= least
    return after if fits else board


def _written(board: Board) -> str:
    """Return the rows of a board as the question shows them."""
    size = math.isqrt(len(board))
    rows = (" ".join(board[r, c] for c in range(size)) for r in range(size))
    return "\n".join(f"{size - r:2d} {row}" for r, row in enumerate(rows))


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for any move that does what the question asks for.

    The library knows one move, but gives 0.25 to it among other words. Two of the three wordings
    ask to capture some stones, not most.
    """
    return float(answer.strip().upper() in right_moves(entry["question"]))


def shortcuts(question: str) -> Answers:
    """Play on the free point with most stones beside it."""
    board = read_board(question)

    def count(cell: Cell) -> int:
        return sum(board.get(near, ".") != "." for near in neighbours(cell))

    free = (cell for cell, stone in board.items() if stone == ".")
    move = _name(*max(free, key=count), len(_rows(question)))
    return {"most stones around": move}  # .59


def family(entry: Entry) -> object:
    """Keep the board; ignore rotations, mirrors, the two colours."""
    return turned_and_renamed(_rows(entry["question"]))


TASK = Task(
    answer=Point(),
    also_right="any capture, where the question asks for some stones; any capture of most, "
    "where it asks for as many as possible",
    correct=correct,
    harden=harden,
    verify=verify,
    shortcuts=shortcuts,
    family=family,
    # "Beside the group with most black stones" solves all of the library's problems, and "beside
    # white, most stones within two" nine of ten: no draw finds others.
    levels=moving(
        board_size=[(9, 9), (10, 11), (11, 12), (13, 14), (15, 16)], max_stones=[15, 22, 32, 44, 58]
    ),
    accepted={"wrong": "most questions ask to capture some stones, which several moves may do"},
)
