"""Read fractions and probabilities.

    2/3   \\frac{2}{3}   -\\dfrac{2}{3}      a fraction
    0.887   88.67%   227/256                a probability

A fraction that has to be in lowest terms is another answer if it is not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from rgenv.worker.entry import Entry
from rgenv.worker.values.kind import Kind
from rgenv.worker.values.notation import (
    MAX_CHARS,
    Number,
    agrees,
    place_value,
    plain,
    plain_signs,
    read_number,
)

_COMMAND = re.compile(r"([-+]?)\s*\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_SLASH = re.compile(r"([-+]?)([^/⁄]*)[/⁄]([^/⁄]*)")
_PERCENT = re.compile(r"(.*?)\s*(?:\\?%|percent)", re.I | re.DOTALL)
SHOWN_DIGITS = 3
"""Significant digits that a rounded probability has to show."""


def read_fraction(text: str) -> tuple[int, int] | None:
    """Return numerator and denominator as they are written, or None if `text` is no fraction."""
    if len(text) > 2 * MAX_CHARS:
        return None
    plainly = plain_signs(text.strip())
    match = _COMMAND.fullmatch(plainly) or _SLASH.fullmatch(plainly)
    if match is None:
        return None
    parts = [read_number(match[2]), read_number(match[3])]
    if match[1] and match[2].strip()[:1] in ("-", "+"):
        return None
    whole = [part.value for part in parts if part is not None and part.value.denominator == 1]
    if len(whole) != 2 or whole[1] <= 0 or match[3].strip()[0] in "-+":
        return None
    numerator = int(whole[0])
    return (-numerator if match[1] == "-" else numerator), int(whole[1])


def read_probability(text: str) -> Number | None:
    """Return the number that a decimal or a percentage is; None if it is neither."""
    if len(text) > MAX_CHARS:
        return None
    match = _PERCENT.fullmatch(text.strip())
    given = read_number(match[1] if match else text)
    if given is None or match is None:
        return given
    return Number(given.value / 100, given.step / 100, given.digits)


def simplified_fraction(text: str, entry: Entry) -> str | None:
    """Read a fraction that has to be in lowest terms, in any notation.

    Some reference answers stand between dollar signs, so these are not a wrapper here.
    """
    reference = str(entry["answer"])
    given, right = (read_fraction(each.strip().strip("$")) for each in (text, reference))
    if given is None or text.count("$") not in (0, 2):
        return None
    return reference if given == right else f"{given[0]}/{given[1]}"


def exact_probability(text: str, entry: Entry) -> str | None:
    """Read a probability as a fraction in lowest terms, or as a decimal that is not rounded."""
    reference = str(entry["answer"])
    right = read_fraction(reference)
    if right is None:
        return None
    fraction = read_fraction(text)
    if fraction is not None:
        reduced = math.gcd(*fraction) == 1 and Fraction(*fraction) == Fraction(*right)
        return reference if reduced else f"{fraction[0]}/{fraction[1]}"
    given = read_probability(text)
    if given is None:
        return None
    return reference if given.value == Fraction(*right) else plain(given.value)


def probability(text: str, entry: Entry) -> str | None:
    """Read a probability as any fraction, or as a decimal or percentage of three digits or more."""
    right = _exact_chance(entry)
    fraction = read_fraction(text)
    given = read_probability(text) if fraction is None else None
    if fraction is not None:
        same, value = Fraction(*fraction) == right, Fraction(*fraction)
    elif given is not None:
        value = given.value
        rounded = given.digits >= SHOWN_DIGITS and agrees(
            given, right, place_value(right, SHOWN_DIGITS)
        )
        same = value == right or rounded
    else:
        return None
    return str(entry["answer"]) if same else plain(value)


def _exact_chance(entry: Entry) -> Fraction:
    """Return the probability that is asked for; reference answers are rounded to ten digits."""
    rational = entry["metadata"].get("rational")
    if rational is None:
        return Fraction(str(entry["answer"]))
    return Fraction(rational["numerator"], rational["denominator"])


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "coin_flip": probability,
        "dice": exact_probability,
        "fraction_simplification": simplified_fraction,
    }
)
