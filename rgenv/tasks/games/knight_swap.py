"""Swap white and black knights, or say that it can't be done."""

import json
import math
import re
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from rgenv.tasks import Entry, Forms, LibraryVerifier, Task, moving
from rgenv.tasks.answers.lists import items
from rgenv.tasks.answers.moves import JsonMoves
from rgenv.tasks.answers.words import Word
from rgenv.tasks.boards import moves_to
from rgenv.tasks.symmetries import turned_and_renamed
from rgenv.tasks.verifying import library_score

_MOVE = re.compile(r"([wWbB])(?:,\s?|:\s?|\s)([A-Za-z]\d)(?:,\s?|\s?->\s?|\s?→\s?|\s)([A-Za-z]\d)")


class KnightMoves(JsonMoves):
    """Moves such as ``w,A1,B3`` in any form of a list, or the word No."""

    single_quotes = True
    impossible = "w,A1,B3"

    def read(self, text: str, entry: Entry) -> str | None:
        if text.strip().lower() == "no":
            return "No"
        found = items(text, _MOVE.fullmatch) or []
        moves = [f"{'wB'[m[1] in 'bB']},{m[2].upper()},{m[3].upper()}" for m in found]
        return json.dumps(moves) if moves else None

    def forms(self, reference: str, question: str) -> Forms:
        if reference.startswith("["):
            return super().forms(reference, question)
        return Word().forms(reference, question)


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
"""The squares of those who are to move, as bits, those of the others, and who is to move."""
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
    white, black = (tuple(pos for pos in pieces if pieces[pos] == color) for color in "wB")
    bits = {pos: 1 << n for n, pos in enumerate(board)}
    masks = [sum(bits[pos] for pos in squares) for squares in (white, black)]
    movers, others = (0, 1) if start_turn == "w" else (1, 0)
    start = masks[movers], masks[others], start_turn
    ends = {(masks[1], masks[0], "w"), (masks[0], masks[1], "B")}
    searched = _searched(tuple((pos, *board[pos]) for pos in board))
    if any(start in reached and ends.isdisjoint(reached) for reached in searched):
        return None
    came_from: dict[Position, tuple[Position, Move] | None] = {start: None}
    squares = _order((white, black)[movers]), _order((white, black)[others])
    queue = deque([(start, *squares)])
    while queue and len(came_from) <= limit:
        position, ours, theirs = queue.popleft()
        mover_mask, other_mask, turn = position
        then = "B" if turn == "w" else "w"
        for pos in ours:
            for to in board[pos]:
                if (mover_mask | other_mask) & bits[to]:
                    continue
                reached = other_mask, mover_mask ^ bits[pos] ^ bits[to], then
                if reached in came_from:
                    continue
                came_from[reached] = position, (turn, pos, to)
                if reached in ends:
                    return moves_to(reached, came_from)
                moved = _order(tuple([to if p == pos else p for p in ours]))
                queue.append((reached, theirs, moved))
    if queue:
        return []
    searched.append(set(came_from))
    return None


@cache
def _order(squares: tuple[str, ...]) -> tuple[str, ...]:
    """Return squares in the order of the set that is built of them one by one."""
    return tuple(frozenset(squares))


@lru_cache(maxsize=4)
def _searched(board: object) -> list[set[Position]]:
    """Return all positions that each search in vain has reached on a board, to be added to.

    None leads out of them. The library tries 100 positions of a board, most of them in vain.
    """
    return []


MIN_SCORE = 0.05
"""The library's score for possible moves that do not swap the knights."""


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for "No" where no swap is possible, and for any moves that swap the knights.

    The question does not ask for few moves. The library gives longer sequences less the longer they
    are; here those of up to 20 times the fewest moves are right.
    """
    return float(library_score(library, answer) > MIN_SCORE)


def family(entry: Entry) -> object:
    """Keep the board; ignore rotations, mirrors, the two colours."""
    rows = re.findall(r"^\d+ \|(.*)\|$", entry["question"], re.MULTILINE)
    return turned_and_renamed([row.split("|") for row in rows])


TASK = Task(
    answer=KnightMoves(),
    correct=correct,
    verify=verify,
    clarify=((r"\|   (?=\|)", "Squares that are blank in the picture are not part of the board."),),
    family=family,
    slow=True,
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
