"""Split a text into lines, without the numbers or bullets in front of them.

Example::

    lines("1. fill A\\n2. pour A->B.")    # ["fill A", "pour A->B"]

Not here: what a line says.
"""

from __future__ import annotations

import re

_BULLET = re.compile(r"([-*•‣◦–])\s+")
_NUMBER = re.compile(r"(\d{1,5})([.):])\s+")
_ENDS = ".,;"
"""Signs that may end a line without being a part of it."""


def lines(text: str, marks: str = ".):") -> list[str]:
    """Return the lines of `text` that are not blank.

    Args:
        text: the text.
        marks: signs that may follow the number of a line.

    Returns:
        The lines without whitespace around them. Bullets are taken off if all lines have the same;
        numbers, if they count the lines from 0 or 1. One full stop, comma or semicolon at the end
        of a line is taken off.
    """
    found = [stripped for line in text.splitlines() if (stripped := line.strip())]
    found = _without_numbers(found, marks) or _without_bullets(found) or found
    return [line[:-1].rstrip() if line[-1] in _ENDS and line[:-1] else line for line in found]


def _without_bullets(found: list[str]) -> list[str] | None:
    bullets = [_BULLET.match(line) for line in found]
    if len({bullet[1] if bullet else None for bullet in bullets}) != 1:
        return None
    return [line[bullet.end() :] for line, bullet in zip(found, bullets, strict=True) if bullet]


def _without_numbers(found: list[str], marks: str) -> list[str] | None:
    numbers = [_NUMBER.match(line) for line in found]
    counted = [int(number[1]) for number in numbers if number and number[2] in marks]
    if not counted or counted[0] > 1:
        return None
    if counted != list(range(counted[0], counted[0] + len(found))):
        return None
    return [line[number.end() :] for line, number in zip(found, numbers, strict=True) if number]
