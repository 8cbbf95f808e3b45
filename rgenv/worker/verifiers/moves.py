"""Verifiers for answers that are sequences of moves.

``A → B → B`` presses three buttons. The library also reads them out of ``I think: A, or Maybe B?``,
and reads the moves of sokoban and rush_hour out of any prose. Here the answer must be moves only.

Not here: sequences that are a little longer than needed; they keep the library's score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rgenv.tasks.entry import Entry
from rgenv.worker.go import right_moves
from rgenv.worker.verifiers.shared import (
    LibraryVerifier,
    credit_above_half,
    library_score,
    library_score_above,
    parse_json,
)

MAX_MOVES = 4_000
"""Characters of a sequence. Right answers have at most 1,000."""
MIN_HANOI = 0.05
"""The library's score for any text in tower_of_hanoi, even a space."""
MIN_KNIGHT_SWAP = 0.05
"""The library's score for possible moves that do not swap the knights."""
_BUTTONS = re.compile(r"[A-C]([\s,→>-]+[A-C])*", re.IGNORECASE)
_STEPS = re.compile("[LRUD]*")
_CARS = re.compile(r"[A-Z][+-]\d{1,2}(?: [A-Z][+-]\d{1,2})*", re.ASCII)
_DISK = re.compile(r"Move disk \d+ from Peg (\d+) to Peg (?!\1$)\d+", re.ASCII)
_AGENT = re.compile(r"Agent\s?\[(\d{1,3}\.\d), ?(\d{1,3}\.\d)\]", re.ASCII)
_ACTION = re.compile(
    r"move\((?P<box>box_\w{1,30}),\s"
    r"(?:(?P<target>target_\w{1,30})|square ?\[(?P<x>\d{1,3}\.\d), ?(?P<y>\d{1,3}\.\d)\])\)",
    re.ASCII,
)
_SIDE = 6
"""Cells in a row of the rush_hour board, and in a column."""


def quantum_lock(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a shortest sequence, which the question asks for.

    A press always toggles the light, as the question says, also if the button does nothing in that
    light. The library ignores such a press, gives 1.0 to the right buttons scattered over prose,
    and 0.5 to pressing on until the target appears.
    """
    lock = entry["metadata"]
    presses = re.findall("[A-C]", answer.upper())
    if not _BUTTONS.fullmatch(answer.strip()) or len(presses) != len(lock["solution_path"]):
        return 0.0
    buttons = {button["name"]: button for button in lock["buttons"]}
    state = lock["initial_value"], lock["initial_state"]
    for name in presses:
        state = press(state, buttons[name])
    return float(state[0] == lock["target_value"])


def press(state: tuple[int, str], button: Mapping[str, Any]) -> tuple[int, str]:
    """Return the number and the light after a press of a button of quantum_lock."""
    value, light = state
    if button["active_state"] in (light, "any"):
        by = button["value"]
        value = {"add": value + by, "subtract": value - by, "multiply": value * by}[button["type"]]
    return value, "red" if light == "green" else "green"


def tsumego(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for any move that does what the question asks for.

    The library knows one move, but gives 0.25 to it among other words. Two of the three wordings
    ask to capture some stones, not most.
    """
    return float(answer.strip().upper() in right_moves(entry["question"]))


def sokoban(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the library's score, or 0.0 for far more steps than the reference answer has.

    The library gives 1.0 to the right steps scattered over prose, and to walking about until the
    boxes are in place.
    """
    needed = len(str(entry["answer"]).strip())
    return _moves_score(answer, library, _STEPS) if len(answer) <= 2 * needed + 4 else 0.0


def knight_swap(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for "No" where no swap is possible, and for any moves that swap the knights.

    The question does not ask for few moves. The library gives longer sequences less the longer they
    are; here those of up to 20 times the fewest moves are right. It gives 0.05 to moves that do not
    swap the knights.
    """
    return float(library_score(library, answer) > MIN_KNIGHT_SWAP)


def rush_hour(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for possible moves that bring the red car to the exit.

    The library gives 0.01 to any text. It gives 1.0 to moves through other cars, because it makes
    as many steps of a move as there is room for.
    """
    board = entry["metadata"]["board_config"]
    return float(_moves_score(answer, library, _CARS) >= 1.0 and _are_possible(answer, board))


def _are_possible(answer: str, board: str) -> bool:
    """Return whether every step of every move has room on the board.

    The question shows the board with its cars renamed to A, B, C and so on, in the order of their
    names in `board`.
    """
    names = sorted(set(board) - {"o", "x"})
    cars = {
        chr(ord("A") + place): {i for i, cell in enumerate(board) if cell == name}
        for place, name in enumerate(names)
    }
    walls = {i for i, cell in enumerate(board) if cell == "x"}
    for car, sign, steps in re.findall(r"([A-Z])([+-])(\d+)", answer):
        for _ in range(int(steps)):
            moved = _shift(cars[car], 1 if sign == "+" else -1) if car in cars else None
            others = walls.union(*(cells for other, cells in cars.items() if other != car))
            if moved is None or moved & others:
                return False
            cars[car] = moved
    return True


def _shift(cells: set[int], direction: int) -> set[int] | None:
    """Return the cells of a car after one step, or None if it would leave the board."""
    stride = 1 if max(cells) - min(cells) < _SIDE else _SIDE
    moved = {cell + direction * stride for cell in cells}
    inside = min(moved) >= 0 and max(moved) < _SIDE * _SIDE
    same_row = stride == _SIDE or len({cell // _SIDE for cell in moved | cells}) == 1
    return moved if inside and same_row else None


def _moves_score(answer: str, library: LibraryVerifier, moves: re.Pattern[str]) -> float:
    """Return the library's score, or 0.0 unless the whole answer matches `moves`."""
    text = answer.strip()
    if len(text) > MAX_MOVES or not moves.fullmatch(text):
        return 0.0
    return library_score(library, text)


def tower_of_hanoi(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the library's score for one move a line.

    The library takes a disk that stays on its peg for a move.
    """
    if not all(map(_DISK.fullmatch, answer.split("\n"))):
        return 0.0
    return library_score_above(MIN_HANOI, library, answer)


def boxnet(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the displaced boxes are brought to their targets.

    The library gives 0.05 to ``[]``, and credit for each box that starts on its target. It skips
    moves of boxes that are not there, so one plan that sweeps all colours over the whole field
    solves most problems; here a plan with an impossible action scores 0.0.
    """
    if not _is_possible_plan(answer, entry["metadata"]["initial_state"]):
        return 0.0
    squares = entry["metadata"]["initial_state"].values()
    boxes = [item for square in squares for item in square if item.startswith("box_")]
    placed = sum(_boxes_on_target(square) for square in squares)
    score = library_score(library, answer)
    if score >= 1.0 or placed == len(boxes):
        return float(score >= 1.0)
    return credit_above_half((score * len(boxes) - placed) / (len(boxes) - placed))


def _is_possible_plan(answer: str, state: Mapping[str, list[str]]) -> bool:
    """Return whether each action moves a box from its square to a target there or a square beside.

    Args:
        state: what is in each square, by ``x_y``.
    """
    plan = parse_json(answer)
    if not isinstance(plan, list) or not all(isinstance(step, dict) for step in plan):
        return False
    squares = {name: list(things) for name, things in state.items()}
    return all(
        _carry_out(agent, str(action), squares) for step in plan for agent, action in step.items()
    )


def _carry_out(agent: str, action: str, squares: dict[str, list[str]]) -> bool:
    """Carry out one action on `squares`; return whether it was possible."""
    place, wanted = _AGENT.fullmatch(agent.strip()), _ACTION.fullmatch(action.strip())
    if not place or not wanted:
        return False
    x, y = float(place[1]), float(place[2])
    box, target = wanted["box"], wanted["target"]
    things = squares.get(f"{x}_{y}", [])
    if box not in things:
        return False
    things.remove(box)
    if target:
        possible = target in things and target[7:] == box[4:]
        if possible:
            things.remove(target)
        return possible
    to_x, to_y = float(wanted["x"]), float(wanted["y"])
    there = squares.get(f"{to_x}_{to_y}")
    if there is None or abs(to_x - x) + abs(to_y - y) != 1:
        return False
    there.append(box)
    return True


def _boxes_on_target(square: list[str]) -> int:
    """Return how many boxes share their square with a target of their colour."""
    colours = {item[4:] for item in square if item.startswith("box_")}
    return sum(
        min(square.count(f"box_{colour}"), square.count(f"target_{colour}")) for colour in colours
    )
