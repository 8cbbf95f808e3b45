"""Moves of water between jugs."""

from __future__ import annotations

import json
import re

from rgenv.tasks.answers.lists import items
from rgenv.tasks.answers.moves import JsonMoves
from rgenv.tasks.entry import Entry

_MOVE = re.compile(r"(fill|empty) ([A-Z])|pour ([A-Z])\s?(?:->|→|to)\s?([A-Z])", re.IGNORECASE)


class JugMoves(JsonMoves):
    """Moves such as ``fill A`` and ``pour A->B`` in any form of a list.

    The library ignores words after a move.
    """

    must_be_read = True
    impossible = "pour A->Q"

    def read(self, text: str, entry: Entry) -> str | None:
        found = items(text, _MOVE.fullmatch)
        return json.dumps([_written(move) for move in found]) if found else None


def _written(move: re.Match[str]) -> str:
    if move[1]:
        return f"{move[1].lower()} {move[2].upper()}"
    return f"pour {move[3].upper()}->{move[4].upper()}"
