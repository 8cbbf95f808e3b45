"""Paths through a graph."""

from __future__ import annotations

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.lists import Numbers, joined_items, separated_forms, word
from rgenv.tasks.entry import Entry


class NodePath(Numbers):
    """The nodes of a path in any form of a list."""

    def read(self, text: str, entry: Entry) -> str | None:
        return joined_items(text, word, " ")

    def forms(self, reference: str, question: str) -> Forms:
        return separated_forms(reference, int, arrows=True)
