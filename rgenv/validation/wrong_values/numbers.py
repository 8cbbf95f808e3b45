"""Wrong integers, decimals, candidates and factors."""

from __future__ import annotations

import random
import re
from decimal import Decimal

from rgenv.validation.form_writers.numbers import SAME_CANDIDATE
from rgenv.validation.wrong_values.kind import Changes


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
