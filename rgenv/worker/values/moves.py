"""Read sequences of moves, and single ones.

Example: ``1. move disk 1 from peg 3 to peg 2.`` is the library's ``Move disk 1 from Peg 3 to Peg
2``, and ``right → Down`` is ``right down``.

Moves are items of a list in any of its forms (lists.py). Moves of one letter may stand next to each
other. Letters count in any case where the question has them in one case only.

Not here: whether moves are possible, or how many are needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from rgenv.worker.entry import Entry
from rgenv.worker.values.kind import Kind
from rgenv.worker.values.lists import items, matching
from rgenv.worker.values.mappings import UNREADABLE
from rgenv.worker.values.notation import plain_signs

_BUTTONS = re.compile("[A-C]+")
_STEPS = re.compile("[LRUD]+")
_DIRECTION = re.compile("up|down|left|right")
_CAR = re.compile(r"([A-Z])\1?([+-])(\d{1,2})", re.ASCII)
_CARS = re.compile(r"(?:([A-Z])\1?[+-]\d{1,2})+", re.ASCII)
_TURN = re.compile(r"([LRDUBF]w?|[XYZMESxyzmes])(?:(['’′])([23]?)|([23])(['’′]?)|)")
_TURNS = re.compile(rf"(?:{_TURN.pattern})+")
_DISK = re.compile(r"move disk (\d{1,3}) from peg (\d{1,3}) to peg (\d{1,3})", re.ASCII | re.I)
_JUG = re.compile(r"(fill|empty) ([A-Z])|pour ([A-Z])\s?(?:->|→|to)\s?([A-Z])", re.IGNORECASE)
_KNIGHT = re.compile(
    r"([wWbB])(?:,\s?|:\s?|\s)([A-Za-z]\d)(?:,\s?|\s?->\s?|\s?→\s?|\s)([A-Za-z]\d)"
)
_POINT = re.compile(r"\(?([A-Za-z])[ ,]{0,2}(\d{1,2})\)?", re.ASCII)


def _written(found: list[str] | None, between: str) -> str | None:
    return between.join(found) if found else None


def _buttons(text: str, entry: Entry) -> str | None:
    found = items(text.upper(), matching(_BUTTONS)) or []
    return _written(list("".join(found)), " → ")


def _steps(text: str, entry: Entry) -> str | None:
    return _written(items(text.upper(), matching(_STEPS)), "")


def _directions(text: str, entry: Entry) -> str | None:
    if text.strip().lower() == "infeasible":
        return "infeasible"
    return _written(items(text.lower(), matching(_DIRECTION)), " ")


def _cars(text: str, entry: Entry) -> str | None:
    found = items(plain_signs(text), matching(_CARS)) or []
    cars = _CAR.findall(" ".join(found))
    return _written([f"{car}{sign}{int(steps)}" for car, sign, steps in cars], " ")


def _turns(text: str, entry: Entry) -> str | None:
    """Write out repeated turns. The library ignores turns that it can't read."""
    written = []
    for face, after, times, before, mark in _TURN.findall(
        " ".join(items(text, matching(_TURNS)) or [])
    ):
        turn = (face if face[0].isupper() else face.upper()) + ("'" if after or mark else "")
        written += [turn] * int(times or before or 1)
    return _written(written, " ") or UNREADABLE


def _disks(text: str, entry: Entry) -> str | None:
    found = items(plain_signs(text), _DISK.fullmatch) or []
    return _written([f"Move disk {m[1]} from Peg {m[2]} to Peg {m[3]}" for m in found], "\n")


def _jugs(text: str, entry: Entry) -> str | None:
    """The library ignores words after a move."""
    found = items(text, _JUG.fullmatch)
    return json.dumps([_jug_move(move) for move in found]) if found else UNREADABLE


def _jug_move(move: re.Match[str]) -> str:
    if move[1]:
        return f"{move[1].lower()} {move[2].upper()}"
    return f"pour {move[3].upper()}->{move[4].upper()}"


def _knights(text: str, entry: Entry) -> str | None:
    if text.strip().lower() == "no":
        return "No"
    found = items(text, _KNIGHT.fullmatch) or []
    moves = [f"{'wB'[m[1] in 'bB']},{m[2].upper()},{m[3].upper()}" for m in found]
    return json.dumps(moves) if moves else None


def _point(text: str, entry: Entry) -> str | None:
    point = _POINT.fullmatch(plain_signs(text.strip()))
    return f"{point[1].upper()}{int(point[2])}" if point else None


KINDS: Mapping[str, Kind] = {
    "jugs": _jugs,
    "knight_swap": _knights,
    "quantum_lock": _buttons,
    "rubiks_cube": _turns,
    "rush_hour": _cars,
    "shortest_path": _directions,
    "sokoban": _steps,
    "tower_of_hanoi": _disks,
    "tsumego": _point,
}
