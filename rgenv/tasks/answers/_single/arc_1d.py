"""A row of cells."""

from __future__ import annotations

import re

from rgenv.tasks.answers.lists import MAX_TEXT, Numbers
from rgenv.tasks.answers.notation import plain_signs
from rgenv.tasks.entry import Entry

_DIGITS = re.compile(r"\d+", re.ASCII)


class Row(Numbers):
    """Cells that are digits, next to each other or in any form of a list."""

    def read(self, text: str, entry: Entry) -> str | None:
        row = plain_signs(text.strip())
        if len(row) <= MAX_TEXT and _DIGITS.fullmatch(row):
            return " ".join(row)
        return super().read(text, entry)
