"""Take one outer wrapper off an answer.

Models decorate answers: ``\\boxed{42}``, ``$42$``, ``**42**``, a code fence, quotes, a full stop.
The decoration says nothing, so one of it is taken off::

    >>> unwrap("**42**")
    '42'

Two wrappers in each other stay as they are, and so does prose around a wrapper. A wrapper that the
reference answer has too is part of the answer.
"""

from __future__ import annotations

import re

_PAIRS = (
    ("**", "**"),
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
_MATH = ("$$", "$", "\\(", "\\[")
_FENCE = re.compile(r"```(?:[ \t]*(?:[A-Za-z][\w+#.-]{0,20}[ \t]*)?\r?\n)?(.*)```", re.DOTALL)
_COMMAND = re.compile(r"\\(boxed|text)\s*\{(.*)\}", re.DOTALL)
_FIRST = frozenset("\\*$`\"'“‘")
"""The first characters of all wrappers, except for the full stop."""


def unwrap(text: str, reference: str = "") -> str:
    """Return `text` without its outer wrapper.

    Args:
        text: an answer.
        reference: the reference answer. A wrapper that it has too is not taken off.

    Returns:
        The text within the wrapper, without whitespace around it. A fence keeps the spaces of its
        lines. `text` itself if it has no wrapper, or another wrapper within the first.
    """
    stripped = text.strip()
    if not stripped or (stripped[0] not in _FIRST and stripped[-1] != "."):
        return text
    taken = _take_off(stripped, reference.strip())
    if taken is None:
        return text
    kind, inner = taken
    for _ in range(1 if kind in ("boxed", *_MATH) else 0):
        within = _take_off(inner, "")
        if within is not None and within[0] == "text":
            inner = within[1]
    return text if _take_off(inner.strip(), reference.strip()) else inner


def _take_off(text: str, reference: str) -> tuple[str, str] | None:
    """Return the name of the outer wrapper and what it holds, or None if there is no wrapper."""
    taken = _outer(text)
    if taken is None:
        return None
    own = _outer(reference)
    return None if own is not None and own[0] == taken[0] else taken


def _outer(text: str) -> tuple[str, str] | None:
    if text.endswith("."):
        return None if text.endswith("..") or text == "." else (".", text[:-1].rstrip())
    if not text or text[0] not in _FIRST:
        return None
    if fence := _FENCE.fullmatch(text):
        return None if "```" in fence[1] else ("```", fence[1].strip("\r\n"))
    if command := _COMMAND.fullmatch(text):
        return (command[1], command[2].strip()) if _is_balanced(command[2]) else None
    for start, end in _PAIRS:
        if len(text) > len(start) + len(end) and text.startswith(start) and text.endswith(end):
            inner = text[len(start) : -len(end)]
            return None if start in inner or end in inner else (start, inner.strip())
    return None


def _is_balanced(text: str) -> bool:
    """Return whether no brace closes that was not opened in `text`, and none stays open."""
    depth = 0
    for brace in re.findall(r"[{}]", text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0
