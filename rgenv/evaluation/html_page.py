"""Pages from templates, and their texts: printable, shortened, formatted.

A page has no script, and its policy forbids any. Completions are untrusted: they may hold control
characters, characters that reverse the direction of text, lone surrogates, and megabytes. Jinja
escapes all texts after `printable`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rgenv.viewing.page import CLOSING, opening

if TYPE_CHECKING:
    from markupsafe import Markup

STYLE = Path(__file__).parent / "report.css"

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
    "\ufdd0-\ufdef\ufeff\ufffe\uffff]"
)


def render(template: Path, title: str, **values: Any) -> bytes:
    # Imported late: it needs the extra `report`, and the terminal needs the functions below only.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(template.parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FILTERS
    body = environment.get_template(template.name).render(values)
    style = STYLE.read_text(encoding="utf-8")
    return f"{opening(printable(title), style=style)}{body}\n{CLOSING}".encode()


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
    from markupsafe import Markup  # imported late, as above

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


def in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {text}" for name, text in flattened(value).items())
    return "none" if value is None else str(value)


def signed(number: float, digits: int) -> str:
    """Format a number with its sign, which zero has not: +1.5, −0.2, 0.0."""
    rounded = round(number, digits)
    return f"{rounded:+.{digits}f}".replace("-", "−") if rounded else f"{0:.{digits}f}"


FILTERS: dict[str, Callable[[Any], Any]] = {
    "breakable": breakable,
    "count": lambda number: f"{number:,.0f}",
    "percent": lambda share: f"{100 * share:.1f}\u00a0%",
    "percent_number": lambda share: f"{100 * share:.1f}",
    "points": lambda change: signed(100 * change, 1),
    "signed": lambda change: signed(change, 3),
    "in_words": in_words,
    "level": lambda name: "defaults" if name in ("none", None) else name,
}
