"""Boards, cards and buttons, played again, for the tasks that are games.

::

    mahjong_puzzle(entry)    # the last card makes PQR: "Chi", where the library says "Pass"

Each function takes an entry and gives it back with the proven answer, or None to make another; on
an entry of another form it may raise. See labels.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

Entry = dict[str, Any]
Cell = tuple[int, int]
Squares = frozenset[str]

MAX_POSITIONS = 30_000
"""Of knights that are looked at before a question is given up: 100 ms."""


def mahjong_puzzle(entry: Entry) -> Entry | None:
    """The library draws a card for "Pass" without a look, and overlooks Peng when it wants Chi."""
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


# --- tsumego ------------------------------------------------------------------------------------


def tsumego(entry: Entry) -> Entry | None:
    """None where the library's own decoy has saved the stones, or another move takes as many."""
    lines = entry["question"].split("```")[1].strip("\n").split("\n")[1:]
    board = {(r, c): x for r, line in enumerate(lines) for c, x in enumerate(line[3:].split())}
    takes = {
        f"{chr(ord('A') + c)}{len(lines) - r}": len(_captured(board, (r, c)))
        for (r, c), stone in board.items()
        if stone == "."
    }
    most = max(takes.values())
    best = [move for move, stones in takes.items() if stones == most > 0]
    return entry if best == [entry["answer"]] else None


def _captured(board: dict[Cell, str], move: Cell) -> set[Cell]:
    """The white stones that a black one at `move` takes."""
    captured: set[Cell] = set()
    for start in _around(move):
        if board.get(start) == "O" and start not in captured:
            group, edge = {start}, [start]
            free = False
            while edge:
                for cell in _around(edge.pop()):
                    if board.get(cell) == "O" and cell not in group:
                        group.add(cell)
                        edge.append(cell)
                    free = free or (board.get(cell) == "." and cell != move)
            captured |= set() if free else group
    return captured


def _around(cell: Cell) -> Iterable[Cell]:
    row, column = cell
    return (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)


# --- knight_swap --------------------------------------------------------------------------------


def knight_swap(entry: Entry) -> Entry | None:
    """None where "No" rests on a move that the library has forbidden and not said so."""
    if entry["answer"] != "No":
        return entry
    pieces = entry["metadata"]["pieces"]
    knights = {color: frozenset(s for s, p in pieces.items() if p == color) for color in "wB"}
    moves = {a: [b for b in pieces if _is_knight_move(a, b)] for a in pieces}
    first = entry["metadata"]["start_turn"]
    second = "B" if first == "w" else "w"
    stuck = _never_swap(moves, knights[first], knights[second])
    return entry if stuck else None


def _is_knight_move(a: str, b: str) -> bool:
    return sorted((abs(ord(a[0]) - ord(b[0])), abs(int(a[1:]) - int(b[1:])))) == [1, 2]


def _never_swap(moves: dict[str, list[str]], first: Squares, second: Squares) -> bool:
    """Whether no play from here ends with either side where the other was."""
    seen = {(first, second, True)}  # those to move, the others, whether it is the first's turn
    edge = list(seen)
    while edge:
        movers, others, firsts = edge.pop()
        if (movers, others) == ((second, first) if firsts else (first, second)):
            return False
        for square in movers:
            for target in moves[square]:
                if target not in movers and target not in others:
                    state = (others, movers - {square} | {target}, not firsts)
                    if state not in seen:
                        seen.add(state)
                        edge.append(state)
        if len(seen) > MAX_POSITIONS:
            return False
    return True


# --- others -------------------------------------------------------------------------------------

HALF_TURN = (
    "When the bottom is brought to the top, the cube is turned over so that its left and right "
    "sides stay where they are."
)


def color_cube_rotation(entry: Entry) -> Entry | None:
    """Says which way the cube is turned over: the answer hangs on it."""
    if "bottom" not in entry["metadata"]["rotations"]:
        return entry
    story, asked = entry["question"].split("\n\nWhat is now")
    return {**entry, "question": f"{story}\n\n{HALF_TURN}\n\nWhat is now{asked}"}


def game_of_life_halting(entry: Entry) -> Entry | None:
    """None where numpy has left out the middle of the board."""
    return None if "..." in entry["question"] else entry


def quantum_lock(entry: Entry) -> Entry | None:
    """None where it is shorter to press a button out of its light, if that turns the light."""
    meta = entry["metadata"]
    length = len(meta["solution_path"])
    states = seen = {(meta["initial_value"], meta["initial_state"])}
    for _ in range(length):
        if any(value == meta["target_value"] for value, _ in states):
            return None
        states = {_pressed(state, button) for state in states for button in meta["buttons"]} - seen
        seen = seen | states
    return entry


def _pressed(state: tuple[int, str], button: dict[str, Any]) -> tuple[int, str]:
    value, light = state
    if button["active_state"] in (light, "any"):
        by = button["value"]
        value = {"add": value + by, "subtract": value - by, "multiply": value * by}[button["type"]]
    return value, "red" if light == "green" else "green"
