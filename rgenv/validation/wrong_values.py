"""Wrong answers in the form of right ones: one number, item, cell or move is changed.

Example::

    CHANGERS["gcd"]("12", "Find the ... of 24, 36.", random.Random(0))
    # {"next": "13", "digit": "17", "sign": "-12", "zero": "120"}

A changer takes a right answer, written as the library writes it, the question and a source of
randomness. It returns the name of each change and the wrong answer. No changed answer is right:
where a question has several right answers, a change breaks a rule of the question, or is left out
if the answer may still be right (`may_be_right`).
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from rgenv.validation.form_writers import SAME_CANDIDATE, complex_parts, fraction_parts

Changes = dict[str, str]
"""Name of a change -> the wrong answer."""
Changer = Callable[[str, str, random.Random], Changes]
"""Takes a reference answer, the question and a source of randomness."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
RELATIONS = """
    father mother son daughter husband wife brother sister grandfather grandmother grandson
    granddaughter uncle aunt nephew niece father-in-law mother-in-law son-in-law daughter-in-law
""".split()


# --- several right answers ----------------------------------------------------------------------


def may_be_right(task: str, answer: str, question: str) -> bool:
    """Return whether a changed answer may answer the question after all."""
    check = _CHECKS.get(task)
    return check is not None and check(answer, question)


def _any_input(answer: str, question: str) -> bool:
    """Another input may have the same output."""
    return "predict a feasible input" in question


def _capture(answer: str, question: str) -> bool:
    """A move that captures stones may be right where "some" are asked for."""
    rows = question.split("```")[1].strip("\n").split("\n")[1:]
    board = {(r, c): s for r, row in enumerate(rows) for c, s in enumerate(row[3:].split())}
    point = (len(rows) - int(answer[1:]), "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(answer[0]))
    if board.get(point) != ".":
        return False
    return any(
        board.get(start) == "O" and not _free(start, board | {point: "X"})
        for start in _beside(point)
    )


def _free(start: tuple[int, int], board: Mapping[tuple[int, int], str]) -> bool:
    """Return whether the group of stones at `start` has a liberty."""
    group, waiting = {start}, [start]
    while waiting:
        for point in _beside(waiting.pop()):
            if board.get(point) == ".":
                return True
            if board.get(point) == board[start] and point not in group:
                group.add(point)
                waiting.append(point)
    return False


def _beside(point: tuple[int, int]) -> list[tuple[int, int]]:
    row, column = point
    return [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]


def _is_path(answer: str, question: str) -> bool:
    """Steps in another order may be as short a path."""
    rows = [line.split() for line in question.split("grid:\n")[1].strip().split("\n")]
    cells = {(r, c): cell for r, row in enumerate(rows) for c, cell in enumerate(row)}
    row, column = next(cell for cell, sign in cells.items() if sign == "*")
    for step in answer.split():
        if step not in STEPS:
            return False
        row, column = row + STEPS[step][0], column + STEPS[step][1]
        if cells.get((row, column), "X") == "X":
            return False
    return cells[row, column] == "#"


def _sum_holds(answer: str, question: str) -> bool:
    """Another assignment of digits may solve the cryptarithm."""
    digits = dict(pair.split("=") for pair in answer.split(","))
    lines = re.findall(r"^[+ ]*([A-Z]+) *$", question, re.M)
    if len(set(digits.values())) < len(digits) or any(digits[line[0]] == "0" for line in lines):
        return False
    *parts, total = (int("".join(digits[letter] for letter in line)) for line in lines)
    return sum(parts) == total


def _is_ladder(answer: str, question: str) -> bool:
    """A shorter ladder may be right as long as each step changes one letter."""
    steps = answer.split(",")
    if [steps[0], steps[-1]] != re.findall(r"'([A-Z]+)'", question)[:2]:
        return False
    return all(
        sum(a != b for a, b in zip(one, other, strict=True)) == 1 for one, other in pairwise(steps)
    )


_CHECKS: Mapping[str, Callable[[str, str], bool]] = MappingProxyType(
    {
        "codeio": _any_input,
        "cryptarithm": _sum_holds,
        "shortest_path": _is_path,
        "tsumego": _capture,
        "word_ladder": _is_ladder,
    }
)


# --- numbers ------------------------------------------------------------------------------------


def integer(reference: str, question: str, rng: random.Random) -> Changes:
    """A number near by, with another digit, sign, or number of digits."""
    if not re.fullmatch(r"-?\d+", reference):
        return decimal(reference, question, rng)
    value, place = int(reference), rng.randrange(len(reference.lstrip("-")))
    digits = reference.lstrip("-")
    digit = str((int(digits[place]) + rng.randint(1, 9)) % 10)
    changes = {
        "next": str(value + 1),
        "near": str(value - rng.randint(2, 9)),
        "digit": str(int(digits[:place] + digit + digits[place + 1 :]) * (-1 if value < 0 else 1)),
        "ten times": str(value * 10 or 10),
    }
    return changes | ({"sign": str(-value)} if value else {})


def bit(reference: str, question: str, rng: random.Random) -> Changes:
    """The other bit, and two numbers that are no bits."""
    return {"other": str(1 - int(reference)), "two": "2", "negative": "-1"}


def decimal(reference: str, question: str, rng: random.Random) -> Changes:
    """A digit of the first three changed, another sign, another magnitude."""
    value = Decimal(reference)
    step = Decimal(1).scaleb(value.adjusted() - 2 if value else -1)
    changes = {
        "third digit": f"{value + rng.randint(2, 9) * step:f}",
        "first digit": f"{value + rng.randint(1, 8) * 100 * step:f}",
        "ten times": f"{value * 10 if value else Decimal('1.5'):f}",
    }
    return changes | ({"sign": f"{-value:f}"} if value else {})


def last_digit(reference: str, question: str, rng: random.Random) -> Changes:
    """The last digit changed, where all digits are asked for."""
    last = str((int(reference[-1]) + rng.randint(1, 9)) % 10)
    return {"last digit": reference[:-1] + last} | decimal(reference, question, rng)


def probability(reference: str, question: str, rng: random.Random) -> Changes:
    """Another probability, by at least one in the second significant digit."""
    value = Decimal(reference)
    step = Decimal(1).scaleb(value.adjusted() - 1)
    changes = {
        "smaller": f"{value - step * rng.randint(10, 30) / 10:f}",
        "third digit": f"{value + rng.randint(2, 9) * step / 10:f}",
        "half": f"{value / 2:f}",
        "ten times": f"{value / 10:f}",
    }
    return changes | ({} if value == Decimal("0.5") else {"complement": f"{1 - value:f}"})


def candidate(reference: str, question: str, rng: random.Random) -> Changes:
    """Other candidates, and a number that is none."""
    texts = [text.replace(",", "") for text in question.rpartition("candidates:")[2].split()]
    right = Decimal(reference)
    others = sorted(
        {text for text in texts if abs(Decimal(text) - right) >= SAME_CANDIDATE}, key=float
    )
    changes = {"no candidate": f"{float(reference) + 1:.3f}"}
    if others:
        changes |= {"first": f"{float(others[0])}", "last": f"{float(others[-1])}"}
        changes |= {"any": f"{float(rng.choice(others))}"}
    return changes


def fraction(reference: str, question: str, rng: random.Random) -> Changes:
    """Another numerator or denominator, both exchanged, or multiplied by a number."""
    top, bottom = fraction_parts(reference)
    if not bottom:
        return {}
    right = Fraction(top, bottom)
    changed = {
        "numerator": Fraction(top + rng.randint(1, 5), bottom),
        "denominator": Fraction(top, bottom + rng.randint(1, 5)),
        "exchanged": Fraction(bottom, top or 1),
        "complement": Fraction(bottom - top, bottom),
    }
    factor = rng.randint(2, 9)
    return {"not reduced": f"{factor * top}/{factor * bottom}"} | {
        name: f"{value.numerator}/{value.denominator}"
        for name, value in changed.items()
        if value != right
    }


def complex_number(reference: str, question: str, rng: random.Random) -> Changes:
    """Another real or imaginary part, or the conjugate."""
    a, b = complex_parts(reference)
    changes = {"real": (a + rng.randint(1, 9), b), "imaginary": (a, b + rng.randint(1, 9))}
    changes |= {"exchanged": (b, a)} if a != b else {}
    changes |= {"conjugate": (a, -b)} if b else {}
    return {
        name: f"{real} {'-' if imaginary < 0 else '+'} {abs(imaginary)}i"
        for name, (real, imaginary) in changes.items()
    }


def hexadecimal(reference: str, question: str, rng: random.Random) -> Changes:
    """A number near by, another sign."""
    value = int(reference, 16)
    changes = {"next": hex(value + 1), "near": hex(value - rng.randint(2, 300))}
    return changes | ({"sign": hex(-value)} if value else {})


def other_base(reference: str, question: str, rng: random.Random) -> Changes:
    """Another last digit, and one digit too many."""
    last = rng.choice([digit for digit in "0123456789" if digit != reference[-1]])
    return {"last digit": reference[:-1] + last, "longer": f"{reference}0"}


def factors(reference: str, question: str, rng: random.Random) -> Changes:
    """One factor changed, one left out, the product of all."""
    parts = reference.split(" × ")
    changed = [*parts]
    place = rng.randrange(len(parts))
    changed[place] = str(int(parts[place]) + rng.randint(1, 9))
    changes = {"changed": " × ".join(changed), "added": f"{reference} × {rng.choice([2, 3, 5])}"}
    if len(parts) > 1:
        changes["left out"] = " × ".join(parts[1:])
    return changes


def roots(reference: str, question: str, rng: random.Random) -> Changes:
    """One root moved or left out, or one too many."""
    values = [float(value) for value in reference.split(",") if value.strip()]
    if not values:
        return {"one root": f"{rng.randint(1, 99) / 10}"}
    moved = [*values]
    moved[rng.randrange(len(values))] += rng.choice([-1, 1]) * rng.randint(1, 400) / 100
    added = [*values, max(values) + rng.randint(1, 9)]
    changes = {"moved": moved, "added": added}
    if len(values) > 1:
        changes["left out"] = values[1:]
    return {
        name: ", ".join(str(round(value, 4)) for value in changed)
        for name, changed in changes.items()
        if sorted(changed) != sorted(values)
    }


def geometry(reference: str, question: str, rng: random.Random) -> Changes:
    """One number of the answer moved by at least a tenth."""
    numbers = re.findall(r"-?\d+\.\d+", reference)
    old = rng.choice(numbers)
    new = f"{float(old) + rng.choice([-1, 1]) * rng.randint(1, 30) / 10:.3f}"
    changes = {"moved": reference.replace(old, new, 1)}
    if len(numbers) == 2 and numbers[0] != numbers[1]:
        changes["exchanged"] = f"({numbers[1]}, {numbers[0]})"
    return changes


# --- words and texts ----------------------------------------------------------------------------


def one_of(*words: str) -> Changer:
    """Return a changer for answers out of a few fixed words."""

    def change(reference: str, question: str, rng: random.Random) -> Changes:
        others = [word for word in words if word.lower() != reference.lower()]
        return {f"other {number}": word for number, word in enumerate(others[:4], 1)}

    return change


def date_or_count(reference: str, question: str, rng: random.Random) -> Changes:
    """Another weekday, the other of Yes and No, or another number."""
    if re.fullmatch(r"-?\d+", reference):
        return integer(reference, question, rng)
    words = WEEKDAYS if reference in WEEKDAYS else ["Yes", "No"]
    return {"other": rng.choice([word for word in words if word != reference])}


def word_of_question(pattern: str) -> Changer:
    """Return a changer that takes another word of the question, found by `pattern`."""

    def change(reference: str, question: str, rng: random.Random) -> Changes:
        found = sorted(set(re.findall(pattern, question)) - {reference})
        return {f"other {n}": word for n, word in enumerate(rng.sample(found, min(3, len(found))))}

    return change


def names(reference: str, question: str, rng: random.Random) -> Changes:
    """Another of the persons that the puzzle names."""
    listed = re.findall(r"unique name: (.*)", question)
    others = [name for name in re.split(r", ", listed[0]) if name != reference] if listed else []
    return {f"other {number}": name for number, name in enumerate(others, 1)}


def text(reference: str, question: str, rng: random.Random) -> Changes:
    """One letter replaced by another, one left out, one added."""
    places = [place for place, letter in enumerate(reference) if letter.isalnum()]
    if not places:
        return {"added": f"{reference}a"}
    place = rng.choice(places)
    before, old, after = reference[:place], reference[place], reference[place + 1 :]
    new = rng.choice([letter for letter in LETTERS if letter != old.lower()])
    new = new.upper() if old.isupper() else new
    return {
        "replaced": before + new + after,
        "left out": before + after or new,
        "added": before + old + new + after,
    }


def bricks(reference: str, question: str, rng: random.Random) -> Changes:
    """Tokens left out, added or exchanged."""
    tokens = reference.split()
    added = [*tokens, rng.choice(["A#", "#A", "B#", "#B"])]
    changes = {"added": " ".join(added)}
    if len(tokens) > 1:
        changes["left out"] = " ".join(tokens[:-1])
    if tokens != tokens[::-1]:
        changes["reversed"] = " ".join(tokens[::-1])
    return changes


def words(reference: str, question: str, rng: random.Random) -> Changes:
    """Two words exchanged, one replaced, one left out."""
    separator = ", " if ", " in reference else " "
    items = reference.split(separator)
    changes = {"replaced": separator.join(["zzyzx", *items[1:]])}
    if len(items) > 1:
        changes["left out"] = separator.join(items[:-1])
        if items[0] != items[-1]:
            changes["exchanged"] = separator.join([items[-1], *items[1:-1], items[0]])
    return changes


def roles(reference: str, question: str, rng: random.Random) -> Changes:
    """One role exchanged for the other, or all of them."""
    singular, plural = re.findall(r"who is an? (\w+) and who is an? (\w+)\?", question)[0]
    said = re.findall(r"(\w+) is an? (\w+)", reference)
    other = {singular: plural, plural: singular}
    place = rng.randrange(len(said))

    def write(pairs: list[tuple[str, str]]) -> str:
        parts = [f"{name} is {'an' if r[0] in 'aeiou' else 'a'} {r}" for name, r in pairs]
        return ", ".join(parts[:-1]) + f", and {parts[-1]}."

    return {
        "one": write([(n, other[r] if i == place else r) for i, (n, r) in enumerate(said)]),
        "all": write([(name, other[role]) for name, role in said]),
    }


def interval(reference: str, question: str, rng: random.Random) -> Changes:
    """One field of a time or a number of days changed."""
    fields = list(re.finditer(r"\d+", reference))
    field = rng.choice(fields)
    value = (int(field[0]) + rng.randint(1, 20)) % (60 if len(fields) > 1 else 10**6)
    changed = f"{reference[: field.start()]}{value:0{len(field[0])}d}{reference[field.end() :]}"
    return {"field": changed} if changed != reference else {}


# --- lists and grids ----------------------------------------------------------------------------


def items(separator: str, *, brackets: bool = False) -> Changer:
    """Return a changer for a list of numbers: one changed, left out, added, two exchanged."""

    def change(reference: str, question: str, rng: random.Random) -> Changes:
        inner = reference.strip("[]") if brackets else reference
        quote = "'" if "'" in inner else ""
        values = [value for value in inner.replace("'", "").split(separator) if value]

        def write(parts: list[str]) -> str:
            joined = separator.join(f"{quote}{part}{quote}" for part in parts)
            return f"[{joined}]" if brackets else joined

        changes = {"added": write([*values, "7"])}
        if values:
            place = rng.randrange(len(values))
            other = str(Decimal(values[place]) + rng.randint(1, 9))
            changes |= {
                "changed": write([*values[:place], other, *values[place + 1 :]]),
                "left out": write(values[:place] + values[place + 1 :]),
            }
            if Decimal(values[0]) != Decimal(values[-1]):
                changes["exchanged"] = write([values[-1], *values[1:-1], values[0]])
        return {name: text for name, text in changes.items() if text}

    return change


def grid(symbols: str = "0123456789") -> Changer:
    """Return a changer for rows of cells: one cell changed, one row left out or repeated."""

    def change(reference: str, question: str, rng: random.Random) -> Changes:
        rows = [line.split() for line in reference.split("\n")]
        row = rng.randrange(len(rows))
        column = rng.randrange(len(rows[row]))
        changed = [[*cells] for cells in rows]
        changed[row][column] = _other_cell(rows[row][column], symbols, rng)
        changes = {"cell": changed, "row repeated": [*rows, rows[-1]]}
        turned = [list(cells) for cells in zip(*rows, strict=True)]
        if turned != rows:
            changes["turned"] = turned
        if len(rows) > 1:
            changes["in one row"] = [[cell for cells in rows for cell in cells]]
        if len(rows) > 1:
            changes["row left out"] = rows[:-1]
        if rows[0] != rows[-1]:
            changes["rows exchanged"] = [rows[-1], *rows[1:-1], rows[0]]
        return {name: "\n".join(" ".join(r) for r in new) for name, new in changes.items()}

    return change


def _other_cell(cell: str, symbols: str, rng: random.Random) -> str:
    if re.fullmatch(r"-?\d+\.\d+|-?\d{2,}", cell):
        return str(Decimal(cell) + rng.randint(1, 9))
    return rng.choice([symbol for symbol in symbols if symbol != cell])


def queens(reference: str, question: str, rng: random.Random) -> Changes:
    """A queen moved into another column, taken away, or added."""
    rows = [line.split() for line in reference.split("\n")]
    row = rng.randrange(len(rows))
    column = rows[row].index("Q")
    other = rng.choice([place for place in range(len(rows)) if place != column])
    moved, taken, added = ([[*cells] for cells in rows] for _ in range(3))
    moved[row][column], moved[row][other] = "_", "Q"
    taken[row][column] = "_"
    added[row][other] = "Q"
    boards = {"moved": moved, "taken away": taken, "added": added}
    return {name: "\n".join(" ".join(r) for r in board) for name, board in boards.items()}


def futoshiki(reference: str, question: str, rng: random.Random) -> Changes:
    """Two neighbours of a row exchanged."""
    digits = [match.start() for match in re.finditer(r"\d", reference)]
    one = rng.choice(digits)
    value = rng.choice([digit for digit in "123456789" if digit != reference[one]])
    return {"digit": reference[:one] + value + reference[one + 1 :]}


def life_board(reference: str, question: str, rng: random.Random) -> Changes:
    """A cell that is alive instead of dead, or the other way round; a row left out."""
    rows = json.loads(reference)
    row = rng.randrange(len(rows))
    column = rng.randrange(len(rows[row]))
    rows[row][column] = 1 - rows[row][column]
    changed = json.dumps(rows, separators=(",", ":"))
    return {"cell": changed, "row left out": json.dumps(rows[:-1], separators=(",", ":"))}


def signs(reference: str, question: str, rng: random.Random) -> Changes:
    """One sign exchanged for the other, one row left out."""
    places = [place for place, sign in enumerate(reference) if sign != "\n"]
    place = rng.choice(places)
    others = [sign for sign in "✅❌" if sign != reference[place]]
    rows = reference.split("\n")
    return {
        "sign": reference[:place] + others[0] + reference[place + 1 :],
        "row left out": "\n".join(rows[:-1]),
    }


# --- JSON ---------------------------------------------------------------------------------------


def json_value(reference: str, question: str, rng: random.Random) -> Changes:
    """One leaf of a JSON value changed, or an item left out."""
    try:
        value = json.loads(reference)
    except ValueError:
        return {}
    changed = _change_leaf(json.loads(reference), rng)
    changes = {"leaf": json.dumps(changed)} if changed != value else {}
    if isinstance(value, list) and value:
        changes["left out"] = json.dumps(value[:-1])
    if isinstance(value, dict) and value:
        changes["left out"] = json.dumps(dict(list(value.items())[:-1]))
    return changes


def _change_leaf(value: Any, rng: random.Random) -> Any:
    """Change one leaf of `value`, in place if it is in a container."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + rng.randint(1, 9) if abs(value) < 10**15 else 0
    if isinstance(value, str):
        return f"{value}q"
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value or ())))
    if keys:
        key = rng.choice(keys)
        value[key] = _change_leaf(value[key], rng)
        return value
    return ["q"]


def groups(reference: str, question: str, rng: random.Random) -> Changes:
    """A group or a word left out, two words exchanged between groups."""
    value = json.loads(reference)
    changes = {"group left out": value[:-1] or [["q"]], "word left out": [value[0][1:], *value[1:]]}
    if len(value) > 1:
        one, other, *rest = value
        changes["exchanged"] = [[other[0], *one[1:]], [one[0], *other[1:]], *rest]
        changes["merged"] = [one + other, *rest]
    return {name: json.dumps(changed) for name, changed in changes.items()}


def partitions(reference: str, question: str, rng: random.Random) -> Changes:
    """A partition left out, or one that does not make the word."""
    value = json.loads(reference)
    return {
        "left out": json.dumps(value[:-1]),
        "added": json.dumps([*value, ["q", *value[0]]]),
        "changed": json.dumps([[*value[0], "q"], *value[1:]]),
    }


def colours(reference: str, question: str, rng: random.Random) -> Changes:
    """Two neighbours with the same colour, a vertex left out, an impossible colour."""
    value = json.loads(reference)
    vertex = rng.choice(list(value))
    changes = {
        "left out": {key: colour for key, colour in value.items() if key != vertex},
        "impossible": value | {vertex: 99},
    }
    edges = re.findall(r"\((\d+), (\d+)\)", question)
    if edges:
        one, other = rng.choice(edges)
        changes["neighbours"] = value | {one: value[other]}
    return {name: json.dumps(changed) for name, changed in changes.items()}


# --- moves and formulas -------------------------------------------------------------------------


def sequence(separator: str, extra: str = "") -> Changer:
    """Return a changer for a shortest sequence: the last part left out, `extra` added.

    The sequence must not reach its end before its last part.
    """

    def change(reference: str, question: str, rng: random.Random) -> Changes:
        parts = reference.split(separator) if separator else list(reference)
        changes = {"left out": separator.join(parts[:-1])} if len(parts) > 1 else {}
        if extra:
            changes["added"] = separator.join([*parts, extra])
        return changes

    return change


def json_moves(extra: str) -> Changer:
    """Return a changer for a JSON list of moves, of which the last one is needed."""

    def change(reference: str, question: str, rng: random.Random) -> Changes:
        if not reference.startswith("["):
            return {"moves": f'["{extra}"]'}
        parts = json.loads(reference)
        return {"left out": json.dumps(parts[:-1]), "impossible": json.dumps([extra, *parts])}

    return change


def directions(reference: str, question: str, rng: random.Random) -> Changes:
    """The path without its last step, with one step too many, or turned elsewhere."""
    if reference == "infeasible":
        return {"a path": rng.choice(["up", "left left", "down right", "right up right"])}
    steps = reference.split()
    turned = rng.choice([step for step in STEPS if step != steps[-1]])
    shuffled = " ".join(rng.sample(steps, len(steps)))
    changes = {
        "infeasible": "infeasible",
        "too long": f"{reference} up down",
        "turned": " ".join([*steps[:-1], turned]),
    }
    if shuffled != reference:
        changes["shuffled"] = shuffled
    if len(steps) > 1:
        changes["left out"] = " ".join(steps[:-1])
    return changes


def ladder(reference: str, question: str, rng: random.Random) -> Changes:
    """A word left out or replaced by none, the first or last word missing."""
    steps = reference.split(",")
    changes = {"no last word": ",".join(steps[:-1]), "no first word": ",".join(steps[1:])}
    if len(steps) > 2:
        place = rng.randrange(1, len(steps) - 1)
        changes["left out"] = ",".join(steps[:place] + steps[place + 1 :])
        changes["no word"] = ",".join([steps[0], "XQZJVXQZJV"[: len(steps[0])], *steps[2:]])
    return changes


def letters_to_digits(reference: str, question: str, rng: random.Random) -> Changes:
    """One letter with another digit."""
    pairs = reference.split(",")
    place = rng.randrange(len(pairs))
    letter, digit = pairs[place].split("=")
    other = rng.choice([other for other in "0123456789" if other != digit])
    return {"digit": ",".join([*pairs[:place], f"{letter}={other}", *pairs[place + 1 :]])}


def point(reference: str, question: str, rng: random.Random) -> Changes:
    """Another point of the board."""
    columns = question.split("```")[1].split("\n")[1].split()
    points = [f"{column}{row}" for column in columns for row in range(1, len(columns) + 1)]
    others = [point for point in points if point != reference]
    return {f"other {number}": text for number, text in enumerate(rng.sample(others, 3), 1)}


def formula(reference: str, question: str, rng: random.Random) -> Changes:
    """A number that is not given, one that is used twice, another target."""
    numbers = list(re.finditer(r"\d+", reference))
    number = rng.choice(numbers)
    other = str(int(number[0]) + rng.randint(1, 9))
    return {
        "number": reference[: number.start()] + other + reference[number.end() :],
        "added": f"{reference} + {number[0]} - {number[0]}",
        "target": f"({reference}) - 1",
    }


def added_term(term: str) -> Changer:
    """Return a changer that adds a term to an expression."""

    def change(reference: str, question: str, rng: random.Random) -> Changes:
        factor = rng.randint(2, 9)
        return {
            "added": f"{reference} + {term}",
            "subtracted": f"{reference} - {factor}*{term}",
        }

    return change


def integral(reference: str, question: str, rng: random.Random) -> Changes:
    """A term too many; another variable than the answer's would be a constant."""
    variables = set(re.findall(r"\b([A-Za-z])\b", reference)) - {"C", "E"}
    return added_term(min(variables))(reference, question, rng) if variables else {}


def negated(reference: str, question: str, rng: random.Random) -> Changes:
    """The negation of a conclusion, which is false."""
    return {"negation": f"¬({reference})", "contradiction": f"({reference} ∧ ¬{reference})"}


_INTEGERS = """
    aiw basic_arithmetic binary_alternation chain_sum count_bits count_primes gcd
    gsm_symbolic largest_island lcm leg_counting letter_counting maze number_sequence products
    rectangle_count rotten_oranges self_reference simple_equations simple_geometry
""".split()
_TRUE_OR_FALSE = "course_schedule game_of_life_halting isomorphic_strings ransom_note".split()
_GRIDS = "arc_agi binary_matrix manipulate_matrix pool_matrix rearc rotate_matrix survo".split()
_NUMBERS = "arc_1d path_star spiral_matrix string_splitting string_synthesis".split()
_TEXTS = """
    bf caesar_cipher emoji_mystery figlet_font palindrome_generation spell_backward
    string_insertion string_manipulation
""".split()

CHANGERS: Mapping[str, Changer] = MappingProxyType(
    {
        **dict.fromkeys(_INTEGERS, integer),
        **dict.fromkeys(_TRUE_OR_FALSE, one_of("True", "False")),
        **dict.fromkeys(_GRIDS, grid()),
        **dict.fromkeys(_NUMBERS, items(" ")),
        **dict.fromkeys(_TEXTS, text),
        "ab": bricks,
        "acre": one_of("on", "off", "undetermined"),
        "advanced_geometry": geometry,
        "base_conversion": other_base,
        "bitwise_arithmetic": hexadecimal,
        "boxnet": json_moves("q"),
        "calendar_arithmetic": date_or_count,
        "circuit_logic": bit,
        "codeio": json_value,
        "coin_flip": probability,
        "color_cube_rotation": word_of_question(r"a (\w+) \w+ side"),
        "complex_arithmetic": complex_number,
        "countdown": formula,
        "cryptarithm": letters_to_digits,
        "decimal_arithmetic": last_digit,
        "decimal_chain_sum": last_digit,
        "dice": fraction,
        "family_relationships": one_of(*RELATIONS),
        "fraction_simplification": fraction,
        "futoshiki": futoshiki,
        "game_of_life": life_board,
        "graph_color": colours,
        "group_anagrams": groups,
        "intermediate_integration": integral,
        "jugs": json_moves("pour A->Q"),
        "kakurasu": grid("01"),
        "knight_swap": json_moves("w,A1,B3"),
        "knights_knaves": roles,
        "letter_jumble": words,
        "list_functions": items(", ", brackets=True),
        "mahjong_puzzle": one_of("Peng", "Chi", "Pass"),
        "mini_sudoku": grid("1234"),
        "modulo_grid": signs,
        "n_queens": queens,
        "needle_haystack": word_of_question(r"(?:^|\. )([A-Z]\w+) "),
        "number_filtering": items(", ", brackets=True),
        "number_format": candidate,
        "number_sorting": items(", ", brackets=True),
        "palindrome_partitioning": partitions,
        "polynomial_equations": roots,
        "polynomial_multiplication": added_term("1"),
        "power_function": decimal,
        "prime_factorization": factors,
        "propositional_logic": negated,
        "puzzle24": formula,
        "quantum_lock": sequence(" → ", "A"),
        "rubiks_cube": sequence(" "),
        "rush_hour": sequence(" "),
        "sentence_reordering": words,
        "shortest_path": directions,
        "simple_integration": integral,
        "sokoban": sequence(""),
        "sudoku": grid("123456789"),
        "syllogism": one_of("Yes", "No"),
        "time_intervals": interval,
        "tower_of_hanoi": sequence("\n"),
        "tsumego": point,
        "word_ladder": ladder,
        "word_sequence_reversal": words,
        "word_sorting": words,
        "zebra_puzzles": names,
    }
)
"""The changer of each of the 105 tasks."""
