"""Wrong lists, matrices and boards."""

from __future__ import annotations

import json
import random
import re
from decimal import Decimal

from rgenv.validation.wrong_values.kind import Changer, Changes


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
