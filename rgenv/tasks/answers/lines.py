"""Split a text into lines, without the numbers or bullets in front of them.

Example::

    lines("1. fill A\\n2. pour A->B.")           # ["fill A", "pour A->B"]
    lines("Step 1: fill A\\nStep 2: empty A")    # ["fill A", "empty A"]
    lines("**(1)** fill A\\n**(2)** empty A")    # ["fill A", "empty A"]
"""

import re

_BULLET = re.compile(r"([-*•‣◦–])\s+")
_BOLD = r"(?:\*\*|__)?"
_NUMBER = re.compile(
    rf"""{_BOLD} (?:step\s)?
    (?: \( {_BOLD} (\d{{1,5}}) {_BOLD} \) [.:：]? | (\d{{1,5}}) {_BOLD} (?: \.?\) | \. | ([:：]) ) )
    {_BOLD} (?: \s+ | (?<=：) )""",
    re.IGNORECASE | re.VERBOSE,
)
_ENDS = ".,;。；"
"""Signs that may end a line without being a part of it."""


def lines(text: str, *, colons: bool = True) -> list[str]:
    """Return the lines of `text` that are not blank, without whitespace around them.

    Bullets are taken off if all lines have the same; numbers, if they count the lines from 0 or 1;
    and one full stop, comma or semicolon at the end of a line.

    Args:
        colons: whether ``1:`` is a number in front of a line, and not a part of it.
    """
    found = [stripped for line in text.splitlines() if (stripped := line.strip())]
    found = _without_numbers(found, colons) or _without_bullets(found) or found
    return [line[:-1].rstrip() if line[-1] in _ENDS and line[:-1] else line for line in found]


def _without_bullets(found: list[str]) -> list[str] | None:
    bullets = [bullet for line in found if (bullet := _BULLET.match(line))]
    if len(bullets) < len(found) or len({bullet[1] for bullet in bullets}) != 1:
        return None
    return [bullet.string[bullet.end() :] for bullet in bullets]


def _without_numbers(found: list[str], colons: bool) -> list[str] | None:
    numbers = [n for line in found if (n := _NUMBER.match(line)) and (colons or not n[3])]
    counted = [int(number[1] or number[2]) for number in numbers]
    if not counted or counted[0] > 1 or counted != [*range(counted[0], counted[0] + len(found))]:
        return None
    return [number.string[number.end() :] for number in numbers]
