"""Sequences of buttons."""

from __future__ import annotations

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.lists import joined_items, matching
from rgenv.tasks.answers.moves import Moves
from rgenv.tasks.entry import Entry

_read_buttons = matching("[A-C]+")


class Buttons(Moves):
    """Letters in any form of a list, also next to each other."""

    separator = " → "
    extra = "A"

    def read(self, text: str, entry: Entry) -> str | None:
        return self.separator.join(joined_items(text.upper(), _read_buttons, "") or "") or None

    def forms(self, reference: str, question: str) -> Forms:
        pressed = reference.split(self.separator)
        return {
            "tight arrows": "→".join(pressed),
            "ASCII arrows": " -> ".join(pressed),
            "commas": ", ".join(pressed),
            "spaces": " ".join(pressed),
            "lines": "\n".join(pressed),
        }
