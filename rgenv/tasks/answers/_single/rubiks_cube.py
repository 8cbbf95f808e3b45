"""Turns of a cube."""

from __future__ import annotations

import re

from rgenv.tasks.answers.lists import items, matching
from rgenv.tasks.answers.moves import Moves
from rgenv.tasks.entry import Entry

_TURN = re.compile(r"([LRDUBF]w?|[XYZMESxyzmes])(?:(['’′])([23]?)|([23])(['’′]?)|)")
_read_turns = matching(rf"(?:{_TURN.pattern})+")


class Turns(Moves):
    """Turns in Singmaster's notation in any form of a list, also repeated ones.

    The library ignores turns that it can't read.
    """

    must_be_read = True
    extendable = True

    def read(self, text: str, entry: Entry) -> str | None:
        written = []
        for face, after, times, before, mark in _TURN.findall(
            " ".join(items(text, _read_turns) or [])
        ):
            turn = (face if face[0].isupper() else face.upper()) + ("'" if after or mark else "")
            written += [turn] * int(times or before or 1)
        return " ".join(written) or None
