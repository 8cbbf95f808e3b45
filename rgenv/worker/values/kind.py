"""What a kind is, and the kind of tasks whose answers have one form only."""

from __future__ import annotations

from collections.abc import Callable

from rgenv.worker.entry import Entry

Kind = Callable[[str, Entry], str | None]
"""Maps an answer without its wrapper to the library's form of it; None if it can't be read."""


def plain_text(text: str, entry: Entry) -> str | None:
    """Return the text itself."""
    return text
