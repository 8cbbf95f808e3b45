"""Read words that form a sentence: how they are spaced says nothing.

Not here: lists of words, which have separators (lists.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from rgenv.worker.entry import Entry
from rgenv.worker.values.kind import Kind


def _single_spaced(text: str, entry: Entry) -> str | None:
    return " ".join(text.split()) or None


def _capitals(text: str, entry: Entry) -> str | None:
    """Write capitals, in which the question shows the cipher."""
    return " ".join(text.upper().split()) or None


KINDS: Mapping[str, Kind] = {
    "caesar_cipher": _capitals,
    "emoji_mystery": _single_spaced,
    "letter_jumble": _single_spaced,
    "sentence_reordering": _single_spaced,
}
