"""Corrections for games with boards, cards and buttons, played again from the question.

Example::

    mahjong_puzzle(entry)    # the last card completes PQR: "Chi", where the library says "Pass"

Each public function is the correction of one task: it returns the entry, a corrected copy, or None
(see the package). It may raise on a question in another form.
"""

from __future__ import annotations

import re
from collections import Counter

from rgenv.tasks.entry import Entry
from rgenv.worker.go import right_moves
from rgenv.worker.verifiers.moves import press

Squares = frozenset[str]

MAX_POSITIONS = 30_000
"""Positions of the knights to search before a question is discarded; they take 100 ms."""


def mahjong_puzzle(entry: Entry) -> Entry | None:
    """Play the last round; the library does not check that "Pass" and "Chi" are right."""
    question = entry["question"]
    cards = Counter(re.findall(r"initial cards ([A-Z]+),", question)[-1])
    rounds = re.findall(r"Add an? ([A-Z]) card and remove an? ([A-Z]) card", question)
    for add, remove in rounds[:-1]:
        cards.update(add)
        cards.subtract(remove)
    new = rounds[-1][0]
    held = {ord(card) - ord(new) for card, count in cards.items() if count > 0}
    if cards[new] >= 2:
        return {**entry, "answer": "Peng"}
    chi = any(pair <= held for pair in ({-2, -1}, {-1, 1}, {1, 2}))
    return {**entry, "answer": "Chi" if chi else "Pass"}


def tsumego(entry: Entry) -> Entry | None:
    """Return the entry; None unless its move is right.

    The library adds a decoy stone that can save the stones it means to be captured.
    """
    return entry if entry["answer"] in right_moves(entry["question"]) else None


# --- knight_swap --------------------------------------------------------------------------------


def knight_swap(entry: Entry) -> Entry | None:
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


# --- other puzzles ------------------------------------------------------------------------------

HALF_TURN = (
    "When the bottom is brought to the top, the cube is turned over so that its left and right "
    "sides stay where they are."
)


def color_cube_rotation(entry: Entry) -> Entry | None:
    """Add a sentence that says how the cube is turned over, because the answer depends on it."""
    if "bottom" not in entry["metadata"]["rotations"]:
        return entry
    story, rest = entry["question"].split("\n\nWhat is now")
    return {**entry, "question": f"{story}\n\n{HALF_TURN}\n\nWhat is now{rest}"}


def game_of_life_halting(entry: Entry) -> Entry | None:
    """Return the entry; None if numpy left out the middle of the board."""
    return None if "..." in entry["question"] else entry


def quantum_lock(entry: Entry) -> Entry | None:
    """Return the entry; None if another reading of the rules allows a shorter sequence.

    The library ignores a button that the light disables. By the question's words, pressing it
    still toggles the light.
    """
    meta = entry["metadata"]
    length = len(meta["solution_path"])
    states = seen = {(meta["initial_value"], meta["initial_state"])}
    for _ in range(length):
        if any(value == meta["target_value"] for value, _ in states):
            return None
        states = {press(state, button) for state in states for button in meta["buttons"]} - seen
        seen = seen | states
    return entry
