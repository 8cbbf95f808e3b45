"""Moves of knights that change places."""

from __future__ import annotations

import json
import re

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.lists import items
from rgenv.tasks.answers.moves import JsonMoves
from rgenv.tasks.answers.words import Word
from rgenv.tasks.entry import Entry

_MOVE = re.compile(r"([wWbB])(?:,\s?|:\s?|\s)([A-Za-z]\d)(?:,\s?|\s?->\s?|\s?→\s?|\s)([A-Za-z]\d)")


class KnightMoves(JsonMoves):
    """Moves such as ``w,A1,B3`` in any form of a list, or the word No."""

    single_quotes = True
    impossible = "w,A1,B3"

    def read(self, text: str, entry: Entry) -> str | None:
        if text.strip().lower() == "no":
            return "No"
        found = items(text, _MOVE.fullmatch) or []
        moves = [f"{'wB'[m[1] in 'bB']},{m[2].upper()},{m[3].upper()}" for m in found]
        return json.dumps(moves) if moves else None

    def forms(self, reference: str, question: str) -> Forms:
        if reference.startswith("["):
            return super().forms(reference, question)
        return Word().forms(reference, question)
