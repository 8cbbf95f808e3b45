"""Swap white and black knights, or say that it can't be done."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.lists import items
from rgenv.tasks.answers.moves import JsonMoves
from rgenv.tasks.answers.words import Word
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Levels, LibraryVerifier, Task
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


Squares = frozenset[str]
MAX_POSITIONS = 30_000
"""Positions of the knights to search before a question is discarded; they take 100 ms."""


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if the swap is possible by the rules, although the answer is "No".

    The library forbids moves that the question allows.
    """
    if entry["answer"] != "No":
        return entry
    pieces = entry["metadata"]["pieces"]
    knights = {color: frozenset(s for s, p in pieces.items() if p == color) for color in "wB"}
    moves = {a: [b for b in pieces if _is_knight_move(a, b)] for a in pieces}
    first = entry["metadata"]["start_turn"]
    second = "B" if first == "w" else "w"
    impossible = _is_impossible(moves, knights[first], knights[second])
    return entry if impossible else None


def _is_knight_move(a: str, b: str) -> bool:
    return sorted((abs(ord(a[0]) - ord(b[0])), abs(int(a[1:]) - int(b[1:])))) == [1, 2]


def _is_impossible(moves: dict[str, list[str]], first: Squares, second: Squares) -> bool:
    """Return whether an exhaustive search finds no way to swap; False if it is too long."""
    seen = {(first, second, True)}  # the side to move, the other side, whether `first` is to move
    frontier = list(seen)
    while frontier:
        movers, others, first_moves = frontier.pop()
        if (movers, others) == ((second, first) if first_moves else (first, second)):
            return False
        for square in movers:
            for target in moves[square]:
                if target not in movers and target not in others:
                    state = (others, movers - {square} | {target}, not first_moves)
                    if state not in seen:
                        seen.add(state)
                        frontier.append(state)
        if len(seen) > MAX_POSITIONS:
            return False
    return True


MIN_KNIGHT_SWAP = 0.05
"""The library's score for possible moves that do not swap the knights."""


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for "No" where no swap is possible, and for any moves that swap the knights.

    The question does not ask for few moves. The library gives longer sequences less the longer they
    are; here those of up to 20 times the fewest moves are right. It gives 0.05 to moves that do not
    swap the knights.
    """
    return float(library_score(library, answer) > MIN_KNIGHT_SWAP)


def family(entry: Entry) -> object:
    """Keep the board; ignore rotations, mirrors, the two colours."""
    rows = re.findall(r"^\d+ \|(.*)\|$", entry["question"], re.MULTILINE)
    return turned_and_renamed([row.split("|") for row in rows])


Move = tuple[str, str, str]


# knight_swap.


def knight_swap_solution(
    board: Mapping[str, Sequence[str]], pieces: Mapping[str, str | None], start_turn: str = "w"
) -> list[Move] | None:
    """Return the fewest moves that exchange white and black; None if there are none.

    Builds its sets exactly as the library does, so that they iterate in the same order.
    """
    white = frozenset(pos for pos, piece in pieces.items() if piece == "w")
    black = frozenset(pos for pos, piece in pieces.items() if piece == "B")
    State = tuple[frozenset[str], frozenset[str], str]
    start: State = (white, black, start_turn)
    came_from: dict[State, tuple[State, Move] | None] = {start: None}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        whites, blacks, turn = state
        if whites == black and blacks == white:
            return _moves_to(state, came_from)
        for pos in whites if turn == "w" else blacks:
            for neighbor in board[pos]:
                if neighbor in whites or neighbor in blacks:
                    continue
                new: State = (
                    (frozenset([p if p != pos else neighbor for p in whites]), blacks, "B")
                    if turn == "w"
                    else (whites, frozenset([p if p != pos else neighbor for p in blacks]), "w")
                )
                if new not in came_from:
                    came_from[new] = state, (turn, pos, neighbor)
                    queue.append(new)
    return None


def _moves_to(state: Any, came_from: Mapping[Any, Any]) -> list[Move]:
    moves = []
    while (step := came_from[state]) is not None:
        state, move = step
        moves.append(move)
    return moves[::-1]


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
        knots={
            "min_nodes": [8],
            "max_nodes": [9],
            "min_pieces": [1, 1, 2, 2, 2],
            "max_pieces": [1, 1, 2, 2, 2],
            "min_steps": [1, 5, 8, 14, 22],
            "max_steps": [8, 14, 18, 26, 50],
        },
        unbound=("seconds",),
    ),
    faster={
        "games.knight_swap:KnightSwapLogic:solve_swap": staticmethod(knight_swap_solution),
    },
)
