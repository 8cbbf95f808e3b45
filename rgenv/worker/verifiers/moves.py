"""Moves, and nothing but moves.

``A → B → B`` presses three buttons. The library also finds them in ``I think: A, or Maybe B?``,
and reads a letter of sokoban or a car of rush_hour out of any prose.

Not covered: sequences somewhat longer than they have to be; they earn what the library pays.
"""

from __future__ import annotations

import re

from rgenv.worker.verifiers.shared import Entry, Library, asked, beyond_half

MAX_MOVES = 4_000
"""Characters of a sequence. Right answers have 1,000 at most."""
_BUTTONS = re.compile(r"[A-C]([\s,→>-]+[A-C])*", re.IGNORECASE)
_STEPS = re.compile(r"[LRUD\s,]*")
_CARS = re.compile(r"(?:[A-Z]{1,2}[+-]\d{1,2}[\s,]*)+", re.ASCII)
_DISK = re.compile(
    r"(?:\d+[.):]\s+|[-*•]\s+)?Move disk \d+ from Peg \d+ to Peg \d+[.,;]?", re.ASCII
)


def quantum_lock(answer: str, entry: Entry, library: Library) -> float:
    """The shortest sequence, as is asked for, of buttons alone; the library paid 1.0 for the right
    ones scattered over prose, and 0.5 for pressing on until the number comes up."""
    return float(_alone(answer, library, _BUTTONS) >= 1.0)


def sokoban(answer: str, entry: Entry, library: Library) -> float:
    """As the library, for steps alone; it paid 1.0 for the right ones scattered over prose, and
    for walking about until the box is home."""
    steps, needed = (len(re.findall("[LRUD]", text)) for text in (answer, entry["answer"]))
    return _alone(answer, library, _STEPS) if steps <= 3 * needed + 10 else 0.0


def rush_hour(answer: str, entry: Entry, library: Library) -> float:
    """1.0 for cars moved to the exit. The library paid 0.01 for any text, and 1.0 for moves
    through other cars, of which it made as many steps as there was room for."""
    board = entry["metadata"]["board_config"]
    return float(_alone(answer, library, _CARS) >= 1.0 and _possible(answer, board))


def _possible(answer: str, board: str) -> bool:
    """Whether every step of every move has room on the board of 6 x 6 cells.

    The question shows the board with its cars named anew, in the order of their names.
    """
    names = sorted(set(board) - {"o", "x"})
    cars = {
        chr(ord("A") + place): {i for i, cell in enumerate(board) if cell == name}
        for place, name in enumerate(names)
    }
    walls = {i for i, cell in enumerate(board) if cell == "x"}
    for car, sign, steps in re.findall(r"([A-Z])([+-])(\d+)", answer):
        for _ in range(int(steps)):
            moved = _moved(cars[car], 1 if sign == "+" else -1) if car in cars else None
            others = walls.union(*(cells for other, cells in cars.items() if other != car))
            if moved is None or moved & others:
                return False
            cars[car] = moved
    return True


def _moved(cells: set[int], way: int) -> set[int] | None:
    """The cells of a car one step on; None where the board ends."""
    stride = 1 if max(cells) - min(cells) < 6 else 6
    moved = {cell + way * stride for cell in cells}
    inside = min(moved) >= 0 and max(moved) < 36
    same_row = stride == 6 or len({cell // 6 for cell in moved | cells}) == 1
    return moved if inside and same_row else None


def _alone(answer: str, library: Library, shape: re.Pattern[str]) -> float:
    text = answer.strip()
    return asked(library, text) if len(text) <= MAX_MOVES and shape.fullmatch(text) else 0.0


def tower_of_hanoi(answer: str, entry: Entry, library: Library) -> float:
    """As the library, for one move a line, numbered or not; it paid 0.05 for a space."""
    lines = [line.strip() for line in answer.strip().splitlines() if line.strip()]
    if not all(map(_DISK.fullmatch, lines)):
        return 0.0
    score = asked(library, answer)
    return score if score > 0.05 else 0.0


def boxnet(answer: str, entry: Entry, library: Library) -> float:
    """Boxes brought home beyond a half of those that were not next to their target. The library
    paid 0.05 for ``[]``, and for each box that stands beside its target already."""
    squares = entry["metadata"]["initial_state"].values()
    boxes = [item for square in squares for item in square if item.startswith("box_")]
    home = sum(_at_home(square) for square in squares)
    score = asked(library, answer)
    if score >= 1.0 or home == len(boxes):
        return float(score >= 1.0)
    return beyond_half((score * len(boxes) - home) / (len(boxes) - home))


def _at_home(square: list[str]) -> int:
    """How many boxes share their square with a target of their colour."""
    colours = {item[4:] for item in square if item.startswith("box_")}
    return sum(
        min(square.count(f"box_{colour}"), square.count(f"target_{colour}")) for colour in colours
    )
