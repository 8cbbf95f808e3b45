"""Take the wrappers off an answer: ``\\boxed{42}``, ``$42$``, ``**42**.``, quotes, a fence.

Wrappers in each other are taken off until none is left. Prose around one stays as it is.
"""

import re
from collections.abc import Collection, Iterator
from itertools import accumulate

MOST = 8
"""Wrappers in each other that are taken off."""

_PAIRS = (
    ("**", "**"),
    ("*", "*"),
    ("$$", "$$"),
    ("$", "$"),
    ("\\(", "\\)"),
    ("\\[", "\\]"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("“", "”"),
    ("‘", "’"),
)
"""What a wrapper opens and closes with. A longer one comes before its own beginning."""
_CLOSING = dict(_PAIRS)
_STOPS = (".", "。", "｡")
_POWER = re.compile(r"(?<=[\w)])\*\*(?=[\w(-])")
"""The sign of a power between its operands, as opposed to the marks of bold type."""
_MARKS = frozenset({*_STOPS, *_CLOSING})
_WORD = re.compile(r"[^\W_]|[^\x00-\x7f。｡“”‘’]")
"""What an answer in signs, such as Morse code, has nowhere; an arrow is a word."""
_PROSE = re.compile(r"(?<=[\w%)\"'])\.(?= )|\.(?=\d)|(?<=\w)'(?=\w)")
"""Marks that are spelling: the dot of a sentence before the last or of a decimal; an apostrophe."""
_FENCE = re.compile(r"```(?:[ \t]*(?:[A-Za-z][\w+#.-]{0,20}[ \t]*)?\r?\n)?(.*)```", re.DOTALL)
_COMMAND = re.compile(
    r"\\(?:boxed|fbox|emph|text(?:bf|it|rm|sf|tt)?|math(?:bf|it|rm|sf|tt))\s*\{(.*)\}", re.DOTALL
)
_FIRST = frozenset("\\*$`\"'“‘")
"""The first characters of all wrappers, except for full stops."""


def marks_in(answer: str) -> frozenset[str]:
    """Return what wrappers open with whose marks may stand for themselves in an answer like this.

    In signs alone, all but LaTeX's and a fence; in words, those that it has itself. Bold type and
    display dollars are clear unless it begins or ends with their sign.
    """
    answer = answer.strip()
    if not _WORD.search(answer):
        return frozenset(mark for mark in _MARKS if mark[0] != "\\" or mark in answer)
    ends, rest = answer[0] + answer[-1], _PROSE.sub("", answer)
    return frozenset(
        mark
        for mark in filter(str.isascii, _MARKS)
        if (mark[0] in ends if mark in ("**", "$$") else mark in rest)
    )


def unwrap(text: str, reference: str = "", symbols: Collection[str] = ()) -> str:
    """Return what the wrappers of `text` hold, without whitespace around it.

    `text` itself if it has none. A wrapper that the reference answer has too, or whose marks are
    `symbols`, is part of the answer, unless it holds another wrapper. A fence keeps the spaces of
    its lines.
    """
    right = reference.strip()
    own = _outer(right)
    kept = {*symbols, own[0]} if own else symbols
    for _ in range(MOST):
        stripped = text.strip()
        if not stripped or (stripped[0] not in _FIRST and stripped[-1] not in _STOPS):
            return text
        readings = [inner for name, inner in _readings(stripped) if name not in symbols]
        if right and right in (stripped, *map(str.strip, readings)):
            return reference
        taken = _outer(stripped)
        if taken and taken[0] in kept:
            within = _outer(taken[1].strip())
            taken = taken if within and within[0] not in kept else None
        if taken is None:
            return text
        name, inner = taken
        text = inner if name == "```" else inner.strip()
    return text


def _outer(text: str) -> tuple[str, str] | None:
    """Return the outer wrapper and what it holds; None for more pieces, such as ``"a", "b"``."""
    first = next(_readings(text), None)
    return first if first and _is_one_piece(*first) else None


def _readings(text: str) -> Iterator[tuple[str, str]]:
    """Yield each wrapper that `text` seems to begin and end with, and what it holds."""
    if text.endswith(_STOPS) and len(text) > 1:
        yield text[-1], text[:-1].rstrip()
    if text[:1] not in _FIRST:
        return
    if fence := _FENCE.fullmatch(text):
        yield "```", (fence[1].strip("\r\n") or text[3:-3].strip())
    if command := _COMMAND.fullmatch(text):
        yield "{", command[1].strip()
    for start, end in _PAIRS:
        if len(text) > len(start) + len(end) and text.startswith(start) and text.endswith(end):
            yield start, text[len(start) : -len(end)]


def _is_one_piece(name: str, inner: str) -> bool:
    """Return whether the wrapper that opens a text is the one that closes it."""
    if name in _STOPS:
        others = inner.splitlines()[:-1]  # a stop that every line has belongs to the lines
        return not inner.endswith(name) and not (others and all(o.endswith(name) for o in others))
    if name == "{":
        depths = _depths(inner, "{", "}")
        return min(depths) == depths[-1] == 0
    if name == "$" and (command := _COMMAND.fullmatch(inner)):  # what it holds may have dollars
        return _is_one_piece("{", command[1])
    if name == "*" and inner != inner.strip():  # a bullet, or a sign
        return False
    if name in ("*", "**"):
        return name not in _POWER.sub("", inner)
    if name not in inner and _CLOSING.get(name, name) not in inner:
        return True
    value = inner.strip("*$`'\". ")  # JSON has quotes of its own
    if not value.endswith(("}", "]")) or not value.startswith(("{", "[")):
        return False
    return 0 not in _depths(value, "{[", "}]")[1:-1]


def _depths(text: str, opening: str, closing: str) -> list[int]:
    """Return how many brackets are open, at the beginning of `text` and after each bracket."""
    steps = ((sign in opening) - (sign in closing) for sign in text if sign in opening + closing)
    return list(accumulate(steps, initial=0))
