"""Guesses at how a grid, a list, a string or a cube is changed, where there are few ways."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from rgenv.tasks.algorithmic.manipulate_matrix import quarter_turned as turned
from rgenv.tasks.cognition.color_cube_rotation import read_cube, turned_cube
from rgenv.tasks.questions import last_grid as grid
from rgenv.tasks.questions import rows_written as written
from rgenv.tasks.questions import tail
from tools.guesses.numeric import after

Answers = dict[str, str]


def arc_1d(question: str) -> Answers:
    """Move the row of the test input."""
    row = question.rsplit("Input:", 1)[1].split()
    return {
        "move by one": written([row[-1:] + row[:-1]]),
        "move by two": written([row[-2:] + row[:-2]]),
        "move back by one": written([row[1:] + row[:1]]),
    }


_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SHIFTS = {by: str.maketrans(_ALPHABET, _ALPHABET[-by:] + _ALPHABET[:-by]) for by in (2, 3, 13)}


def caesar_cipher(question: str) -> Answers:
    """Move the letters back by a fixed number."""
    text = question.split(": ", 1)[1].split(". Provide", 1)[0]
    return {f"move back by {by}": text.translate(table) for by, table in _SHIFTS.items()}


_OPPOSITE = {
    **{"top": "bottom", "left": "right", "front": "back"},
    **{"bottom": "top", "right": "left", "back": "front"},
}


def color_cube_rotation(question: str) -> Answers:
    """Leave out some turns, or pick a side by the first one that is named."""
    before, asked, turns = read_cube(question)
    parts = {
        "only the first turn": turns[:1],
        "only the last turn": turns[-1:],
        "all but the first turn": turns[1:],
        "all but the last turn": turns[:-1],
    }
    return {
        **{name: turned_cube(before, part)[asked] for name, part in parts.items()},
        "the colour of the first side that is named": before[turns[0]],
        "the colour opposite the first side that is named": before[_OPPOSITE[turns[0]]],
    }


def list_functions(question: str) -> Answers:
    """Answer with one number."""
    values = json.loads(after("Input: ", question).split("]", 1)[0] + "]")
    return {"the smallest": str([min(values)]), "twice the last": str([2 * values[-1]])}


def rotate_matrix(question: str) -> Answers:
    """Turn the matrix by a fixed angle."""
    rows = grid(question)
    half = [row[::-1] for row in rows[::-1]]
    return {
        "a quarter": written(turned(rows)),
        "a half": written(half),
        "three quarters": written(turned(half)),
    }


def string_insertion(question: str) -> Answers:
    """Insert for one rule only."""
    text = tail(question)
    rules = re.findall(r"substring (\w+) in the string, insert the character (\w)", question)
    return {
        f"insert {letter} after {pattern}": text.replace(pattern, pattern + letter)
        for pattern, letter in rules[:5]
    }


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {
        "arc_1d": arc_1d,
        "caesar_cipher": caesar_cipher,
        "color_cube_rotation": color_cube_rotation,
        "list_functions": list_functions,
        "rotate_matrix": rotate_matrix,
        "string_insertion": string_insertion,
    }
)
