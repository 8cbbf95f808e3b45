"""Rules that pick one of a few possible answers, so that luck decides whether they are right.

No problem is drawn again because a guess is right: if two answers are possible, problems on which
a rule fails have the other one. tools/blind.py measures what guesses earn, and each rule here
earns at least 0.05 more than the best constant answer at some level::

    answers("path_star", entry)    # {"the first arm": "1 2 3", "the last arm": "1 4"}
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise

from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import UNREADABLE, tail
from rgenv.tasks.questions import integers_in as ints
from rgenv.tasks.questions import last_grid as grid
from rgenv.tasks.questions import rows_written as written
from rgenv.tasks.shortcuts import MAX_QUESTION

Answers = dict[str, str]


def after(marker: str, question: str) -> str:
    """Return what follows the last occurrence of `marker`; raises IndexError without one."""
    return question.rsplit(marker, 1)[1].strip()


def shown(value: float | int) -> str:
    """Write a number without needless decimals: 3 for 3.0."""
    if isinstance(value, float) and math.isfinite(value):
        value = round(value, 9)
        if value == int(value):
            value = int(value)
    return str(value)


# Estimates of numbers, candidates at a place, one of a few operations


def complex_arithmetic(question: str) -> Answers:
    """Add or subtract, whatever the operation is."""
    operands = re.findall(r"\(([^()]{1,80})\)", question)
    (a, b), (c, d) = (_parts(operand) for operand in operands[-2:])
    return {
        "add": f"{a + c:.1f} {'-' if b + d < 0 else '+'} {abs(b + d):.1f}i",
        "subtract": f"{a - c:.1f} {'-' if b - d < 0 else '+'} {abs(b - d):.1f}i",
    }


def _parts(text: str) -> tuple[float, float]:
    real, imaginary = 0.0, 0.0
    for sign, value, unit in re.findall(r"([+-]?)\s*(\d+(?:\.\d+)?)(i?)", text):
        number = float(sign + value)
        real, imaginary = (real, number) if unit else (number, imaginary)
    return real, imaginary


def count_primes(question: str) -> Answers:
    low, high = (abs(value) for value in ints(question)[:2])
    size = high - low + 1
    return {
        "size over logarithm": str(round(size / math.log(max(low + high, 6) / 2))),
        "number over logarithm less one": str(round(_estimate(high) - _estimate(low))),
    }


def _estimate(number: int) -> float:
    return number / (math.log(number) - 1) if number > 3 else 0.0


def letter_counting(question: str) -> Answers:
    """Count the words that have the letter, and add or multiply a little."""
    letter = question.split('letter "', 1)[1][0].lower()
    words = question.split('text: "', 1)[1].lower().rstrip('"?').split()
    having = sum(letter in word for word in words)
    return {
        **{f"words with the letter and {by}": str(having + by) for by in range(5)},
        **{f"{by:g} times as many": str(round(by * having)) for by in (1.2, 1.35, 1.5)},
        "words with the letter, and one if it is frequent": str(having + (letter in "etaoins")),
    }


def number_format(question: str) -> Answers:
    """Pick the candidate at a fixed place."""
    found = [float(value.replace(",", "")) for value in after("candidates: ", question).split()]
    places = {"first": 0, "second": 1, "last": -1, "middle": len(found) // 2}
    return {f"the {name} candidate": repr(found[place]) for name, place in places.items()}


def number_sorting(question: str) -> Answers:
    found = question.split("order: ", 1)[1].split("\n", 1)[0].split(", ")
    down = "in descending order" in question
    in_order = sorted(found, key=lambda value: int(float(value)), reverse=down)
    return {"sort by the whole part": str(in_order)}


def rectangle_count(question: str) -> Answers:
    """Count crossings."""
    crossings = question.split("grid below?", 1)[1].count("█")
    return {"half of the crossings and one": str(crossings // 2 + 1)}


_ANGLE_SUMS = (180, 360, 540, 720, 1080, 1440)
"""Of polygons with 3, 4, 5, 6, 8 and 10 sides."""


def simple_geometry(question: str) -> Answers:
    """Answer as if the polygon had a fixed number of sides."""
    angles = [float(value) for value in re.findall(r"(-?\d+(?:\.\d+)?)°", question)]
    return {f"{total} less the sum": shown(total - sum(angles)) for total in _ANGLE_SUMS}


# Fixed answers, names at a place, a part of what decides


def circuit_logic(question: str) -> Answers:
    """Go by the inputs alone."""
    inputs = re.findall(r"= ([01])", question)
    return {"the most frequent input": Counter(inputs).most_common(1)[0][0]}


def knights_knaves(question: str) -> Answers:
    """Say that all are honest, or that none is, or that every second one is."""
    shape = question.rsplit('like: "', 1)[1].rsplit('"', 1)[0]

    def said(lies: Callable[[int], bool]) -> str:
        parts = enumerate(shape.split(","))
        return ",".join(re.sub(r"(\w+)/(\w+)", rf"\{1 + lies(n)}", part) for n, part in parts) + "."

    return {
        "all honest": said(lambda n: False),
        "no one honest": said(lambda n: True),
        "in turns": said(lambda n: n % 2 == 1),
        "in turns, the first lies": said(lambda n: n % 2 == 0),
    }


def mahjong_puzzle(question: str) -> Answers:
    """Go by the last ten cards that were dealt or added, whichever were removed."""
    dealt = question.rsplit("initial cards ", 1)[1].split(",", 1)[0]
    added = re.findall(r"Add an? (\w) card", question)
    hand, card = (dealt + "".join(added[:-1]))[-10:], added[-1]
    around = [chr(ord(card) + step) in hand for step in (-2, -1, 1, 2)]
    is_chi = any(one and two for one, two in pairwise(around))
    announced = "Peng" if hand.count(card) >= 2 else "Chi" if is_chi else "Pass"
    return {"as if the last ten cards were the hand": announced}


def needle_haystack(question: str) -> Answers:
    """Pick the name of a sentence at a fixed place."""
    story = question.rsplit("\nWho ", 1)[0]
    names = re.findall(r"(?:^|\. )([A-Z][\w'-]*)", story)
    places = {"first": 0, "second": 1, "middle": len(names) // 2, "last but one": -2, "last": -1}
    return {f"the {name} name": names[place] for name, place in places.items()}


def path_star(question: str) -> Answers:
    """Follow an arm of the star from the start."""
    edges, _, ends = after(":\n", question).strip("|= ").rpartition("/")
    start = ends.split()[0]
    pairs = re.findall(r"([^\s|]+) ([^\s|]+)", edges)
    following: dict[str, str] = dict(pairs)
    answers = {}
    arms = [end for begin, end in pairs if begin == start]
    for name, node in (("first", arms[0]), ("last", arms[-1])):
        path = [start, node]
        while path[-1] in following and len(path) < 100:
            path.append(following[path[-1]])
        answers[f"the {name} arm"] = " ".join(path)
    return answers


def propositional_logic(question: str) -> Answers:
    """Answer with one of the first two variables, or with both, joined by or."""
    premises = " ".join(re.findall(r"\d+\. (.+)", question.split("Given:", 1)[1]))
    variables = sorted(set(re.findall(r"\b[P-Z]\b", premises)))
    answers = {f"the variable {name}": name for name in variables[:2]}
    if len(variables) > 1:
        answers["join two variables by or"] = f"({variables[0]} ∨ {variables[1]})"
    return answers


def ransom_note(question: str) -> Answers:
    """Count one letter."""
    note = question.split("Ransom note: ", 1)[1].split("\n", 1)[0]
    magazine = question.split("Magazine: ", 1)[1].strip()
    letters = {
        "the note's most frequent letter": max(note, key=note.count),
        "the magazine's rarest letter": min(note, key=magazine.count),
    }
    return {
        f"enough of {name}": str(magazine.count(letter) >= note.count(letter))
        for name, letter in letters.items()
    }


# Grids, strings and cubes that are changed in one of a few ways


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


_SOURCES = {
    "back": {"top": "back", "back": "bottom", "bottom": "front", "front": "top"},
    "bottom": {"top": "bottom", "bottom": "top", "front": "back", "back": "front"},
    "front": {"top": "front", "front": "bottom", "bottom": "back", "back": "top"},
    "left": {"top": "left", "left": "bottom", "bottom": "right", "right": "top"},
    "right": {"top": "right", "right": "bottom", "bottom": "left", "left": "top"},
}
"""A turn, by the side that comes to the top: side after it -> the side it was before. A side that
is not listed stays where it is."""
_OPPOSITE = {
    **{"top": "bottom", "left": "right", "front": "back"},
    **{"bottom": "top", "right": "left", "back": "front"},
}


def color_cube_rotation(question: str) -> Answers:
    """Leave out some turns, or pick a side by the first one that is named."""
    before, asked, turns = _read_cube(question)
    parts = {
        "only the first turn": turns[:1],
        "only the last turn": turns[-1:],
        "all but the first turn": turns[1:],
        "all but the last turn": turns[:-1],
    }
    return {
        **{name: _turned_cube(before, part)[asked] for name, part in parts.items()},
        "the colour of the first side that is named": before[turns[0]],
        "the colour opposite the first side that is named": before[_OPPOSITE[turns[0]]],
    }


def _read_cube(question: str) -> tuple[Mapping[str, str], str, list[str]]:
    """Return the colours of the sides, the side that is asked for, and the turns."""
    before = {side: colour for colour, side in re.findall(r"- an? (\w+) (\w+) side", question)}
    asked = re.findall(r"color of the (\w+) side", question)[-1]
    turns = [
        re.findall("|".join(_SOURCES), paragraph)[0] for paragraph in question.split("\n\n")[1:-1]
    ]
    return before, asked, turns


def _turned_cube(cube: Mapping[str, str], turns: list[str]) -> Mapping[str, str]:
    """Return the colours of the sides after each of `turns` was brought to the top."""
    for turn in turns:
        cube = {**cube, **{place: cube[source] for place, source in _SOURCES[turn].items()}}
    return cube


def list_functions(question: str) -> Answers:
    """Answer with one number."""
    values = json.loads(after("Input: ", question).split("]", 1)[0] + "]")
    return {"the smallest": str([min(values)]), "twice the last": str([2 * values[-1]])}


def turned(rows: list[list[str]]) -> list[list[str]]:
    """Return a grid turned by a quarter, clockwise."""
    return list(map(list, zip(*rows[::-1], strict=True)))


def rotate_matrix(question: str) -> Answers:
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


RULES: Mapping[str, Callable[[str], Answers]] = {
    one.__name__: one
    for one in (
        arc_1d,
        caesar_cipher,
        circuit_logic,
        color_cube_rotation,
        complex_arithmetic,
        count_primes,
        knights_knaves,
        letter_counting,
        list_functions,
        mahjong_puzzle,
        needle_haystack,
        number_format,
        number_sorting,
        path_star,
        propositional_logic,
        ransom_note,
        rectangle_count,
        rotate_matrix,
        simple_geometry,
        string_insertion,
    )
}
"""Task -> its guesses: a function from the question to answers by the name of the rule."""


def answers(task: str, entry: Entry) -> dict[str, str]:
    """Return the answer of each guess for a task, by the rule's name; none if it has no guesses."""
    question = str(entry["question"])
    if task not in RULES or len(question) > MAX_QUESTION:
        return {}
    try:
        return RULES[task](question)
    except UNREADABLE:
        return {}
