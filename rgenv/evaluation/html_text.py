"""Text and numbers for an HTML page: printable, shortened, formatted.

Completions are untrusted. They may hold control characters, characters that reverse the direction
of text, lone surrogates, and megabytes.

Not here: escaping, which Jinja does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markupsafe import Markup

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
    "\ufdd0-\ufdef\ufeff\ufffe\uffff]"
)


def printable(value: Any) -> Any:
    """Replace the characters that a page can't hold or that change the text around them.

    Control characters become their pictures (NUL becomes ␀), other characters become �. Numbers
    and markup are returned unchanged, other values as text.
    """
    if isinstance(value, int | float) or hasattr(value, "__html__"):
        return value
    return _UNPRINTABLE.sub(_replacement, str(value))


def _replacement(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def breakable(name: str) -> Markup:
    """Allow line breaks in a name after its underscores."""
    from markupsafe import Markup  # imported late: the terminal needs the other functions only

    return Markup("_<wbr>").join(printable(name).split("_"))


def shortened(text: str, *, head: int = 0, tail: int = 0) -> str:
    """Keep the first `head` and the last `tail` characters and say how many were cut."""
    missing = len(text) - head - tail
    if missing <= 0:
        return text
    parts = [text[:head], f"[… {missing:,} characters cut …]", text[len(text) - tail :]]
    return "\n".join(filter(None, parts))


def flattened(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Turn nested mappings into rows: ``{"env": {"seed": 1}}`` becomes ``{"env.seed": "1"}``."""
    rows: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            rows |= flattened(value, f"{prefix}{name}.")
        else:
            text = value if isinstance(value, str) else json.dumps(value, default=str)
            rows[f"{prefix}{name}"] = shortened(text, head=2000)
    return rows


def signed(number: float, digits: int) -> str:
    """Format a number with its sign, which zero has not: +1.5, −0.2, 0.0."""
    rounded = round(number, digits)
    return f"{rounded:+.{digits}f}".replace("-", "−") if rounded else f"{0:.{digits}f}"
