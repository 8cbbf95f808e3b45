"""What belongs to what: digits of letters, colours of vertices, roles of inhabitants.

Example::

    pairs("A=1, B: 2", "[A-Z]", "[0-9]")      # {"A": "1", "B": "2"}
    pairs("A is 1\\nB is 2", "[A-Z]", "[0-9]")
    pairs('{"A": 1, "B": 2}', "[A-Z]", "[0-9]")
    pairs("A=1, A=2", "[A-Z]", "[0-9]")       # None: A comes twice
"""

import re

from rgenv.tasks.answers.lines import lines

_QUOTES = "\"'`"
_SIGN = re.compile(r"=>|->|[=:：→]|\bis\b", re.IGNORECASE)
_BOLD = re.compile(r"(?<!\w)\*\*|\*\*(?!\w)")
_AND = re.compile(r"\band\b", re.IGNORECASE)


def pairs(text: str, key: str, value: str) -> dict[str, str] | None:
    """Return the value of each key; None if `text` has anything else in it, or a key twice.

    Args:
        text: pairs such as ``A = 1``, ``A: 1``, ``"A": 1``, ``A → 1`` or ``**A** is 1``; in braces
            or not; separated by commas, semicolons, full stops or ``and``, or one a line.
        key: pattern of a key.
        value: pattern of a value, in any case.
    """
    text = _BOLD.sub("", text.strip())
    if text[:1] + text[-1:] in ("{}", "[]", "()"):
        text = text[1:-1]
    readings = (_pairs(lines(text, colons=colons), key, value) for colons in (False, True))
    return next(filter(None, readings), None)


def _pairs(lines: list[str], key: str, value: str) -> dict[str, str] | None:
    pieces = [
        stripped
        for line in lines
        for piece in re.split(r"[,;，；]|\.\s|。", line)
        for part in _AND.split(piece)
        if (stripped := part.strip())
    ]
    if len(pieces) == 1 and not re.search(r"\s[=:→-]|[=:→>]\s|\sis\s", pieces[0]):
        pieces = pieces[0].split()
    found: dict[str, str] = {}
    for piece in pieces:
        sides = [side.strip().strip(_QUOTES).strip() for side in _SIGN.split(piece)]
        if len(sides) != 2 or sides[0] in found:
            return None
        if not re.fullmatch(key, sides[0]) or not re.fullmatch(value, sides[1], re.IGNORECASE):
            return None
        found[sides[0]] = sides[1]
    return found or None
