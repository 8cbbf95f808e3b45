"""Swap white and black knights, or say that it can't be done."""

import json
import math
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from rgenv.tasks import Answer, Entry, LibraryVerifier, Task, moving
from rgenv.tasks.answers.lists import items
from rgenv.tasks.symmetries import turned_and_renamed
from rgenv.tasks.verifying import library_score

_MOVE = re.compile(r"([wWbB])(?:,\s?|:\s?|\s)([A-Za-z]\d)(?:,\s?|\s?->\s?|\s?→\s?|\s)([A-Za-z]\d)")


class KnightMoves(Answer):
    """Moves such as ``w,A1,B3`` in any form of a list, or the word No."""

    name = "moves"

    def read(self, text: str, entry: Entry) -> str | None:
        if text.strip().lower() == "no":
            return "No"
        found = items(text, _MOVE.fullmatch) or []
        moves = [f"{'wB'[m[1] in 'bB']},{m[2].upper()},{m[3].upper()}" for m in found]
        return json.dumps(moves) if moves else None


MAX_POSITIONS = 30_000
"""Positions of the knights to search before a question is discarded; they take 100 ms."""


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if the swap is possible by the rules, although the answer is "No".

    The library forbids moves that the question allows.
    """
    if entry["answer"] != "No":
        return entry
    pieces = entry["metadata"]["pieces"]
    board = {a: [b for b in pieces if _is_knight_move(a, b)] for a in pieces}
    found = swap(board, pieces, entry["metadata"]["start_turn"], MAX_POSITIONS)
    return entry if found is None else None


def _is_knight_move(a: str, b: str) -> bool:
    return sorted((abs(ord(a[0]) - ord(b[0])), abs(int(a[1:]) - int(b[1:])))) == [1, 2]


Position = tuple[int, int, str]
"""The squares of the side to move, as bits, the squares of the other side, and the side to move."""
Move = tuple[str, str, str]


def swap(
    board: Mapping[str, Sequence[str]],
    pieces: Mapping[str, str | None],
    start_turn: str = "w",
    limit: float = math.inf,
) -> list[Move] | None:
    """Return the fewest moves that exchange white and black; None if there are none.

    It replaces a function of the library, and goes through the squares of a color in the order of
    the library's sets. The result is an empty list if there are more than `limit` positions.
    """
    squares = _squares(tuple((pos, *board[pos]) for pos in board))
    white, black = (
        squares.placed(tuple(pos for pos in pieces if pieces[pos] == color)) for color in "wB"
    )
    ours, theirs = (white, black) if start_turn == "w" else (black, white)
    start = ours.bits, theirs.bits, start_turn
    ends = {(black.bits, white.bits, "w"), (white.bits, black.bits, "B")}
    if any(start in reached and ends.isdisjoint(reached) for reached in squares.searched):
        return None
    came_from: dict[Position, tuple[Position, Move] | None] = {start: None}
    queue = deque([(start, ours, theirs)])
    while queue and len(came_from) <= limit:
        position, ours, theirs = queue.popleft()
        _, taken, turn = position
        then = "B" if turn == "w" else "w"
        for pos, to, bit, moved in ours.moves or squares.moves(ours):
            if taken & bit:
                continue
            reached = taken, moved.bits, then
            if reached in came_from:
                continue
            came_from[reached] = position, (turn, pos, to)
            if reached in ends:
                return _moves_to(reached, came_from)
            queue.append((reached, theirs, moved))
    if queue:
        return []
    squares.searched.append(set(came_from))
    return None


def _moves_to(
    position: Position, came_from: Mapping[Position, tuple[Position, Move] | None]
) -> list[Move]:
    moves = []
    while (step := came_from[position]) is not None:
        position, move = step
        moves.append(move)
    return moves[::-1]


@dataclass(slots=True)
class _Placement:
    """The squares of a color, as bits and in the order of the library's set.

    Attributes:
        moves: from where and to where a knight can move, the bit of the latter, and what follows.
    """

    bits: int
    order: tuple[str, ...]
    moves: list[tuple[str, str, int, "_Placement"]] = field(default_factory=list)


class _Squares:
    """A board; the library tries 100 positions on it, most of them in vain.

    Attributes:
        searched: all positions that each search in vain has reached. None leads out of them.
    """

    def __init__(self, board: Sequence[Sequence[str]]) -> None:
        self.searched: list[set[Position]] = []
        self._neighbors = {pos: neighbors for pos, *neighbors in board}
        self._bits = {pos: 1 << n for n, pos in enumerate(self._neighbors)}
        self._placements: dict[tuple[str, ...], _Placement] = {}

    def placed(self, squares: tuple[str, ...]) -> _Placement:
        """Return the placement of a set that is built of squares one by one."""
        order = _order(squares)
        if order not in self._placements:
            self._placements[order] = _Placement(sum(self._bits[pos] for pos in order), order)
        return self._placements[order]

    def moves(self, ours: _Placement) -> list[tuple[str, str, int, _Placement]]:
        """Fill in the moves of a placement."""
        ours.moves = [
            (pos, to, self._bits[to], self.placed(tuple(to if p == pos else p for p in ours.order)))
            for pos in ours.order
            for to in self._neighbors[pos]
            if to not in ours.order
        ]
        return ours.moves


@cache
def _order(squares: tuple[str, ...]) -> tuple[str, ...]:
    """Return squares in the order of the set that is built of them one by one."""
    return tuple(frozenset(squares))


_squares = lru_cache(maxsize=4)(_Squares)


MIN_SCORE = 0.05
"""The library's score for possible moves that do not swap the knights."""


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for "No" where no swap is possible, and for any moves that swap the knights.

    The question does not ask for few moves. The library gives longer sequences less the longer they
    are; here any with up to 20 times the fewest moves is right.
    """
    return float(library_score(library, answer) > MIN_SCORE)


def family(entry: Entry) -> object:
    """Keep the board; ignore rotations, mirrors, the two colours."""
    rows = re.findall(r"^\d+ \|(.*)\|$", entry["question"], re.MULTILINE)
    return turned_and_renamed([row.split("|") for row in rows])


TASK = Task(
    answer=KnightMoves(),
    also_right="any moves that swap the knights, also more than needed",
    correct=correct,
    verify=verify,
    clarify=((r"\|   (?=\|)", "Squares that are blank in the picture are not part of the board."),),
    family=family,
    # The curriculum moves the number of squares; what takes moves is the length of a solution,
    # which is longest on 8 or 9 squares. With the library's own search, a few puzzles take 2 to
    # 3 s; workers have a faster one.
    levels=moving(
        nodes=[(8, 9)],
        pieces=[(1, 1), (1, 1), (2, 2), (2, 2), (2, 2)],
        steps=[(1, 8), (5, 14), (8, 18), (14, 26), (22, 50)],
    ),
    faster={"games.knight_swap:KnightSwapLogic:solve_swap": staticmethod(swap)},
)
