"""Split a text into lines, without the numbers or bullets in front of them.

Example::

    lines("1. fill A\\n2. pour A->B.")           # ["fill A", "pour A->B"]
    lines("Step 1: fill A\\nStep 2: empty A")    # ["fill A", "empty A"]
"""

import re

_BULLET = re.compile(r"([-*•‣◦–])\s+")
_NUMBER = re.compile(r"(?:step\s)?(\d{1,5})([.):])\s+", re.IGNORECASE)
_ENDS = ".,;"
"""Signs that may end a line without being a part of it."""


def lines(text: str, marks: str = ".):") -> list[str]:
    """Return the lines of `text` that are not blank, without whitespace around them.

    Bullets are taken off if all lines have the same; numbers, followed by one of `marks`, if they
    count the lines from 0 or 1; and one full stop, comma or semicolon at the end of a line.
    """
    found = [stripped for line in text.splitlines() if (stripped := line.strip())]
    found = _without_numbers(found, marks) or _without_bullets(found) or found
    return [line[:-1].rstrip() if line[-1] in _ENDS and line[:-1] else line for line in found]


def _without_bullets(found: list[str]) -> list[str] | None:
    bullets = [bullet for line in found if (bullet := _BULLET.match(line))]
    if len(bullets) < len(found) or len({bullet[1] for bullet in bullets}) != 1:
        return None
    return [bullet.string[bullet.end() :] for bullet in bullets]


def _without_numbers(found: list[str], marks: str) -> list[str] | None:
    numbers = [n for line in found if (n := _NUMBER.match(line)) and n[2] in marks]
    counted = [int(number[1]) for number in numbers]
    if not counted or counted[0] > 1 or counted != [*range(counted[0], counted[0] + len(found))]:
        return None
    return [number.string[number.end() :] for number in numbers]
