"""Boards of two signs."""

from __future__ import annotations

import random

from rgenv.tasks.answers.grids import read_grid
from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.lists import matching
from rgenv.tasks.entry import Entry

_read_mark = matching("[✅❌]")


class Marks(Answer):
    """Rows of ✅ and ❌ in any form of a grid.

    The invisible characters that ask for a coloured form of an emoji say nothing.
    """

    def read(self, text: str, entry: Entry) -> str | None:
        return read_grid(text.replace("\ufe0f", ""), _read_mark, single=True, between="")

    def forms(self, reference: str, question: str) -> Forms:
        lines = reference.split("\n")
        return {
            "spaces": "\n".join(" ".join(line) for line in lines),
            "space at line ends": "\n".join(f"{line} " for line in lines),
            "CRLF": "\r\n".join(lines),
        }

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        place = rng.choice([place for place, sign in enumerate(reference) if sign != "\n"])
        other = "✅" if reference[place] == "❌" else "❌"
        return {
            "sign": reference[:place] + other + reference[place + 1 :],
            "row left out": reference.rpartition("\n")[0],
        }
