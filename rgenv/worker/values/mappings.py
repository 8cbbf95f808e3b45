"""Read what belongs to what: digits of letters, colours of vertices, roles of inhabitants.

Example::

    pairs("A=1, B: 2", LETTER, DIGIT)      # {"A": "1", "B": "2"}
    pairs("A is 1\\nB is 2", LETTER, DIGIT)
    pairs('{"A": 1, "B": 2}', LETTER, DIGIT)
    pairs("A=1, A=2", LETTER, DIGIT)       # None: A comes twice

The order of the pairs says nothing. The library takes the last of several values of a key; here
such a text is `UNREADABLE`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from rgenv.worker.entry import Entry
from rgenv.worker.values.kind import Kind
from rgenv.worker.values.lines import lines

UNREADABLE = ""
"""Form of a text that the library's verifier would misread."""
MAX_TEXT = 10_000
"""Characters of a mapping. Right answers have at most 1,000."""
_QUOTES = "\"'`"
_SIGN = re.compile(r"=>|->|[=:→]|\bis\b", re.IGNORECASE)
_AND = re.compile(r"\band\b", re.IGNORECASE)


def pairs(text: str, key: str, value: str) -> dict[str, str] | None:
    """Return the pairs of a mapping.

    Args:
        text: pairs such as ``A = 1``, ``A: 1``, ``"A": 1``, ``A → 1`` or ``A is 1``; in braces or
            not; separated by commas, semicolons or ``and``, or one a line.
        key: pattern of a key.
        value: pattern of a value.

    Returns:
        The value of each key, in the order of the text; None if the text has anything else in it,
        or a key twice.
    """
    text = text.strip()
    if len(text) > MAX_TEXT:
        return None
    if text[:1] + text[-1:] in ("{}", "[]", "()"):
        text = text[1:-1]
    pieces = [piece for line in lines(text, ".)") for piece in re.split("[,;]", line)]
    pieces = [
        stripped for piece in pieces for part in _AND.split(piece) if (stripped := part.strip())
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


_THINGS = r"(?:(?:machine|part|block)s?\s+)?"


def counts(text: str, labels: list[str]) -> str | None:
    """Return labelled numbers without their labels, in the order of `labels`.

    A label follows its number or stands before it: ``0 machine A, 1 part X`` or ``A: 0, X: 1``.
    """
    label = "|".join(map(re.escape, labels))
    text = text.strip().removesuffix(".")
    after = rf"(\d{{1,9}})\s+{_THINGS}({label})"
    if len(text) <= MAX_TEXT and re.fullmatch(rf"{after}(?:[\s,;]+(?:and\s+)?{after})*", text):
        text = ", ".join(f"{name}={number}" for number, name in re.findall(after, text))
    found = pairs(text, _THINGS + f"(?:{label})", r"\d{1,9}")
    if found is None:
        return None
    amounts = {re.sub(rf"\A{_THINGS}", "", name): number for name, number in found.items()}
    if len(found) != len(labels) or amounts.keys() != set(labels):
        return None
    return " ".join(str(int(amounts[label])) for label in labels)


def _letters(text: str, entry: Entry) -> str | None:
    found = pairs(text, "[A-Z]", "[0-9]")
    if found is None:
        return UNREADABLE
    return ",".join(f"{letter}={digit}" for letter, digit in found.items())


def _colours(text: str, entry: Entry) -> str | None:
    """Write a colour for each vertex; the library ignores colours of other vertices."""
    found = pairs(text, r"[0-9]{1,5}", r"[0-9]{1,5}")
    vertices = {str(vertex) for vertex in entry["metadata"]["puzzle"]["vertices"]}
    if found is None or found.keys() != vertices:
        return UNREADABLE
    return json.dumps({vertex: int(colour) for vertex, colour in found.items()})


def _roles(text: str, entry: Entry) -> str | None:
    terms = entry["metadata"]["knight_knave_terms"]
    roles = "|".join(re.escape(str(terms[role])) for role in ("knight", "knave"))
    found = pairs(text, r"\w+", rf"(?:an?\s+)?(?:{roles})")
    if found is None:
        return None
    said = [f"{name} is a {role.split()[-1].lower()}" for name, role in found.items()]
    return ", and ".join(said) + "."


KINDS: Mapping[str, Kind] = {
    "cryptarithm": _letters,
    "graph_color": _colours,
    "knights_knaves": _roles,
}
