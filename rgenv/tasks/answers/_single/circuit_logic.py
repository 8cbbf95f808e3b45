"""The output of a circuit."""

from __future__ import annotations

import random

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.numbers import Number, without_name
from rgenv.tasks.entry import Entry


class Bit(Number):
    """0 or 1, also as ``OUT = 1``."""

    def read(self, text: str, entry: Entry) -> str | None:
        return super().read(without_name(text, "OUT"), entry)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        return {"other": str(1 - int(reference)), "two": "2", "negative": "-1"}
