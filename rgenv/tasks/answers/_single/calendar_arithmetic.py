"""Days of the week, yes and no, and numbers."""

from __future__ import annotations

import random
import re

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.notation import SHORT_NUMBER, reference_value
from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.answers.words import Word
from rgenv.tasks.entry import Entry

_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


class DayOrCount(Word):
    """A number, or a day of the week or yes and no where the reference answer is a word."""

    _number = Number()

    def read(self, text: str, entry: Entry) -> str | None:
        if reference_value(entry) is None:
            return super().read(text, entry)
        return self._number.read(text, entry)

    def forms(self, reference: str, question: str) -> Forms:
        if SHORT_NUMBER.fullmatch(reference):
            return self._number.forms(reference, question)
        return super().forms(reference, question)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        if re.fullmatch(r"-?\d+", reference):
            return self._number.misses(reference, question, rng)
        words = _WEEKDAYS if reference in _WEEKDAYS else ["Yes", "No"]
        return {"other": rng.choice([word for word in words if word != reference])}
