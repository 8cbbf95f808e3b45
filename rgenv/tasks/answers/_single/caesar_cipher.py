"""Decrypted texts."""

from __future__ import annotations

from rgenv.tasks.answers.texts import Text
from rgenv.tasks.entry import Entry


class Capitals(Text):
    """Words in any case; the question shows the cipher in capitals."""

    def read(self, text: str, entry: Entry) -> str | None:
        return " ".join(text.upper().split()) or None
