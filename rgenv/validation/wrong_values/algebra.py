"""Wrong complex numbers, roots, coordinates, formulas and expressions."""

from __future__ import annotations

import random
import re

from rgenv.validation.form_writers.algebra import complex_parts
from rgenv.validation.wrong_values.kind import Changer, Changes


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
