"""Odds of throws."""

from __future__ import annotations

import math
from fractions import Fraction

from rgenv.tasks.answers.fractions import ReducedFraction, read_fraction, read_probability
from rgenv.tasks.answers.notation import plain
from rgenv.tasks.entry import Entry


class Odds(ReducedFraction):
    """A fraction in lowest terms, or a decimal or percentage that is not rounded."""

    def read(self, text: str, entry: Entry) -> str | None:
        reference = str(entry["answer"])
        right = read_fraction(reference)
        if right is None:
            return None
        fraction = read_fraction(text)
        if fraction is not None:
            reduced = math.gcd(*fraction) == 1 and Fraction(*fraction) == Fraction(*right)
            return reference if reduced else f"{fraction[0]}/{fraction[1]}"
        given = read_probability(text)
        if given is None:
            return None
        return reference if given.value == Fraction(*right) else plain(given.value)
