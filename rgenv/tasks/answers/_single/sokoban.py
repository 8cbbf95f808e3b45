"""Steps that push boxes."""

from __future__ import annotations

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.lists import joined_items, matching
from rgenv.tasks.answers.moves import Moves
from rgenv.tasks.entry import Entry

_read_steps = matching("[LRUD]+")


class Steps(Moves):
    """Letters of any case in any form of a list, also next to each other."""

    separator = ""
    extendable = True

    def read(self, text: str, entry: Entry) -> str | None:
        return joined_items(text.upper(), _read_steps, "") or None

    def forms(self, reference: str, question: str) -> Forms:
        return {"spaces": " ".join(reference), "commas": ", ".join(reference)}
