"""Guesses at a number: estimates, candidates at a place, one of a few operations."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from rgenv.tasks.questions import integers_in as ints

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
    """Estimate by the prime number theorem."""
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
    """Sort by the whole parts."""
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


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {
        "complex_arithmetic": complex_arithmetic,
        "count_primes": count_primes,
        "letter_counting": letter_counting,
        "number_format": number_format,
        "number_sorting": number_sorting,
        "rectangle_count": rectangle_count,
        "simple_geometry": simple_geometry,
    }
)
