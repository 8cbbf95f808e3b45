"""What a kind is, and the kind of tasks whose answers have one form only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Entry = dict[str, Any]
"""An entry of a data set of the library: question, answer and metadata."""
Kind = Callable[[str, Entry], str | None]
"""Maps an answer without its wrapper to the library's form of it; None if it can't be read."""


def plain_text(text: str, entry: Entry) -> str | None:
    """Return the text itself."""
    return text
