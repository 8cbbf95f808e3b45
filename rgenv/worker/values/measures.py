"""Read durations, angles, lengths and points.

1 day, 05:00:00   80 days,08:56:00   14     a duration, in the parts that are asked for
2.60°   2.595     (4.196, 1.130)            a measure in a triangle, rounded as it is shown
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

import mpmath

from rgenv.worker.entry import Entry
from rgenv.worker.values.kind import Kind
from rgenv.worker.values.notation import MAX_CHARS, Number, agrees, plain_signs, read_number
from rgenv.worker.values.numbers import DEGREES
from rgenv.worker.values.probabilities import read_fraction

_DURATION = re.compile(
    r"(?:\+?(?P<days>0|[1-9]\d{0,8})(?:\s*days?)?(?P<join>\s*,\s*|\s+|$))?"
    r"(?:\+?(?P<hours>\d\d?|[1-9]\d{2,8}):(?P<minutes>[0-5]\d)"
    r"(?::(?P<seconds>[0-5]\d)(?:\.(?P<part>\d{1,9}))?)?)?",
    re.ASCII,
)
_DEGREES = re.compile(rf"(.{{1,100}}?)\s*{DEGREES}")
_PRECISION = 30
"""Decimal digits to which angles and lengths are computed."""


def duration(text: str, entry: Entry) -> str | None:
    """Read days, a time, or both, as in the reference answer."""
    reference = str(entry["answer"])
    given, right = _milliseconds(text), _milliseconds(reference)
    return reference if given is not None and given == right else text.strip()


def _milliseconds(text: str) -> tuple[bool, bool, Fraction] | None:
    """Return whether a duration names days and a time, and its length."""
    if len(text) > MAX_CHARS:
        return None
    text = plain_signs(text.strip()).lower()
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    days, clock = match["days"] is not None, match["hours"] is not None
    if not (days or clock) or bool(match["join"]) != (days and clock):
        return None
    if days and clock and ("day" not in text or int(match["hours"]) > 23):
        return None
    length = Fraction(int(match["days"] or 0) * 86_400)
    if clock:
        length += int(match["hours"]) * 3600 + int(match["minutes"]) * 60
        length += Fraction(f"{match['seconds'] or 0}.{match['part'] or 0}")
    return days, clock, length * 1000


def triangle_measure(text: str, entry: Entry) -> str | None:
    """Read the angle, the radius or the point that is asked for.

    The question asks for three decimal places. An angle may have two, as reference answers have.
    """
    kind = entry["metadata"].get("task_type")
    if len(text) > MAX_CHARS or kind not in _MEASURES:
        return None
    return _MEASURES[kind](plain_signs(text.strip()), entry)


def _angle(text: str, entry: Entry) -> str | None:
    match = _DEGREES.fullmatch(text)
    given = read_number(match[1] if match else text)
    if given is None:
        return None
    (bx, by), (ax, ay), (cx, cy) = (_corner(entry, name) for name in "BAC")
    with mpmath.workdps(_PRECISION):
        cross = abs((ax - bx) * (cy - by) - (ay - by) * (cx - bx))
        dot = (ax - bx) * (cx - bx) + (ay - by) * (cy - by)
        right = _fraction(mpmath.degrees(mpmath.atan2(cross, dot)))
    return str(entry["answer"]) if agrees(given, right, Fraction(1, 100)) else text


def _radius(text: str, entry: Entry) -> str | None:
    given = read_number(text)
    if given is None:
        return None
    (ax, ay), (bx, by), (cx, cy) = (_corner(entry, name) for name in "ABC")
    with mpmath.workdps(_PRECISION):
        sides = (
            mpmath.sqrt((px - qx) ** 2 + (py - qy) ** 2)
            for px, py, qx, qy in ((ax, ay, bx, by), (bx, by, cx, cy), (cx, cy, ax, ay))
        )
        double_area = abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))
        right = _fraction(double_area / sum(sides))
    return str(entry["answer"]) if agrees(given, right, Fraction(1, 1000)) else text


def _point(text: str, entry: Entry) -> str | None:
    inner = re.fullmatch(r"(?:\\left)?\((.*?)(?:\\right)?\)|([^()]*)", text)
    parts = (inner[1] or inner[2] or "").split(",") if inner else []
    given = [_coordinate(part) for part in parts]
    if len(given) != 2:
        return None
    right = [Fraction(part) for part in entry["metadata"]["ortho"]]
    same = all(
        number is not None and agrees(number, exact, Fraction(1, 1000))
        for number, exact in zip(given, right, strict=True)
    )
    return str(entry["answer"]) if same else text


def _coordinate(text: str) -> Number | None:
    """Return a decimal, or a fraction as a number that is not rounded."""
    fraction = read_fraction(text)
    if fraction is not None:
        return Number(Fraction(*fraction), Fraction(0), 1)
    rounded_to_zero = re.fullmatch(r"\s*-(0(?:\.0+)?)\s*", text)
    return read_number(rounded_to_zero[1] if rounded_to_zero else text)


def _corner(entry: Entry, name: str) -> tuple[int, int]:
    x, y = entry["metadata"][name]
    return int(x), int(y)


def _fraction(value: mpmath.mpf) -> Fraction:
    return Fraction(mpmath.nstr(value, _PRECISION))


_MEASURES: Mapping[str, Callable[[str, Entry], str | None]] = MappingProxyType(
    {"angle_measure": _angle, "incircle_radius": _radius, "orthocenter": _point}
)

KINDS: Mapping[str, Kind] = MappingProxyType(
    {"advanced_geometry": triangle_measure, "time_intervals": duration}
)
