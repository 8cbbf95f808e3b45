"""The value of one unknown."""

from __future__ import annotations

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.numbers import Number, assignments, without_name
from rgenv.tasks.entry import Entry


class Unknown(Number):
    """A number, or the equation ``name = number`` for the unknown of the question."""

    def read(self, text: str, entry: Entry) -> str | None:
        return super().read(without_name(text, str(entry["metadata"].get("variable", ""))), entry)

    def forms(self, reference: str, question: str) -> Forms:
        return super().forms(reference, question) | assignments(reference, question)
