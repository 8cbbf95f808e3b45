"""Swap white and black knights, or say that it can't be done."""

import json
import math
import re
from collections.abc import Mapping, Sequence

from rgenv.tasks import Entry, Forms, Levels, LibraryVerifier, Task, spans
from rgenv.tasks.answers.lists import items
from rgenv.tasks.answers.moves import JsonMoves
from rgenv.tasks.answers.words import Word
from rgenv.tasks.boards import fewest_moves
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


Position = tuple[frozenset[str], frozenset[str], str]
"""The squares of those who are to move, the squares of the others, and who is to move."""
Move = tuple[str, str, str]


def swap(
    board: Mapping[str, Sequence[str]],
    pieces: Mapping[str, str | None],
    start_turn: str = "w",
    limit: float = math.inf,
) -> list[Move] | None:
    """Return the fewest moves that exchange white and black; None if there are none.

    It replaces a function of the library, and builds its sets as that does, so that they iterate in
    the same order. The result is an empty list if there are more than `limit` positions to search.
    """
    white = frozenset(pos for pos, piece in pieces.items() if piece == "w")
    black = frozenset(pos for pos, piece in pieces.items() if piece == "B")

    def following(position: Position) -> list[tuple[Move, Position]]:
        movers, others, turn = position
        then = "B" if turn == "w" else "w"
        return [
            ((turn, pos, to), (others, frozenset([p if p != pos else to for p in movers]), then))
            for pos in movers
            for to in board[pos]
            if to not in movers and to not in others
        ]

    start = (white, black) if start_turn == "w" else (black, white)
    ends = {(black, white, "w"), (white, black, "B")}
    return fewest_moves((*start, start_turn), ends.__contains__, following, limit)


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
    levels=Levels(
        knots=spans(
            nodes=[(8, 9)],
            pieces=[(1, 1), (1, 1), (2, 2), (2, 2), (2, 2)],
            steps=[(1, 8), (5, 14), (8, 18), (14, 26), (22, 50)],
        ),
        unbound=("seconds",),
    ),
    faster={"games.knight_swap:KnightSwapLogic:solve_swap": staticmethod(swap)},
)
