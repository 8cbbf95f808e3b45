"""Integers and decimals, with the unit or the name of the variable that a question uses.

1,134   5.0   +5   −5   1.134e3     the number, wherever a number is asked for
289.0°   120 legs                   where the question itself writes the unit, perhaps in \\text{}
x = 5                               where x is the one unknown
"""

import random
import re
from decimal import Decimal

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import (
    MAX_CHARS,
    SHORT_NUMBER,
    read_number,
    settled,
    signs_and_digits,
)
from rgenv.tasks.entry import Entry

DEGREES = r"(?:°|\^\\circ|\^\{\\circ\}|\\degree|\s+degrees?)"
"""Pattern of the unit of an angle."""


class Number(Answer):
    """An integer that has to be exact, in any notation.

    Args:
        unit: pattern of what may follow the number, in any case.
    """

    name = "number"
    longest = MAX_CHARS

    def __init__(self, unit: str = "") -> None:
        units = rf"(?:{unit}|\\text\{{\s*(?:{unit})\s*\}})"
        self._with_unit = re.compile(rf"(.{{1,{MAX_CHARS}}}?)\s*{units}", re.I) if unit else None

    def read(self, text: str, entry: Entry) -> str | None:
        if self._with_unit:
            match = self._with_unit.fullmatch(text)
            text = match[1] if match else text
        given = read_number(text)
        return None if given is None else settled(given.value, entry)

    def forms(self, reference: str, question: str) -> Forms:
        if not re.fullmatch(r"-?\d+", reference):
            return {}
        grouped = f"{int(reference):,}"
        forms = {"point zero": f"{reference}.0", "two zeros": f"{reference}.00"}
        if len(grouped) > len(reference):
            forms |= {"thousands": grouped, "thousands, point zero": f"{grouped}.0"}
        return forms | signs_and_digits(reference)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        if not re.fullmatch(r"-?\d+", reference):
            return near_decimals(reference, rng)
        value, digits = int(reference), reference.lstrip("-")
        place = rng.randrange(len(digits))
        digit = str((int(digits[place]) + rng.randint(1, 9)) % 10)
        changed = int(digits[:place] + digit + digits[place + 1 :])
        changes = {
            "next": str(value + 1),
            "near": str(value - rng.randint(2, 9)),
            "digit": str(-changed if value < 0 else changed),
            "ten times": str(value * 10 or 10),
        }
        return changes | ({"sign": str(-value)} if value else {})


class DecimalNumber(Number):
    """A decimal that has to be exact.

    Args:
        padded: whether it may have one more zero at the end, because no number of digits is
            prescribed.
    """

    def __init__(self, *, padded: bool = False) -> None:
        super().__init__()
        self._padded = padded

    def forms(self, reference: str, question: str) -> Forms:
        whole, point, places = reference.partition(".")
        forms: Forms = {}
        if SHORT_NUMBER.fullmatch(reference):
            sign, digits = reference[: whole.startswith("-")], whole.removeprefix("-")
            forms = {
                "no zeros at the end": f"{whole}.{places}".rstrip("0").rstrip("."),
                "thousands": f"{sign}{int(digits):,}{point}{places}",
                **signs_and_digits(reference),
            }
        return forms | ({"zero at the end": f"{whole}.{places}0"} if self._padded else {})

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        last = str((int(reference[-1]) + rng.randint(1, 9)) % 10)
        return {"last digit": reference[:-1] + last} | near_decimals(reference, rng)


def near_decimals(reference: str, rng: random.Random) -> Forms:
    """Return a number with one of its first three digits changed, another sign or magnitude."""
    value = Decimal(reference)
    step = Decimal(1).scaleb(value.adjusted() - 2 if value else -1)
    changes = {
        "third digit": f"{value + rng.randint(2, 9) * step:f}",
        "first digit": f"{value + rng.randint(1, 8) * 100 * step:f}",
        "ten times": f"{value * 10 if value else Decimal('1.5'):f}",
    }
    return changes | ({"sign": f"{-value:f}"} if value else {})


def without_name(text: str, name: str) -> str:
    """Return what follows ``name =`` or ``name:`` at the start of `text`, or `text` itself."""
    left, sign, right = text.partition("=" if "=" in text else ":")
    return right if name and sign and left.strip() == name else text


def assignments(reference: str, question: str) -> Forms:
    """Return ``x = 5`` where the question asks for one variable, in several spacings."""
    asked = re.search(
        r"(?:Solve for|value of|[Ss]olve the polynomial equation for real|for real) ([a-z])\b",
        question,
    )
    if not asked or "," in reference:
        return {}
    name = asked[1]
    return {
        "assignment": f"{name} = {reference}",
        "tight assignment": f"{name}={reference}",
        "label": f"{name}: {reference}",
        "assignment in LaTeX": f"${name} = {reference}$",
    }
