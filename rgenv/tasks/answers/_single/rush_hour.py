"""Moves of cars."""

from __future__ import annotations

import re

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.lists import joined_items, matching
from rgenv.tasks.answers.moves import Moves
from rgenv.tasks.answers.notation import minus_sign, plain_signs
from rgenv.tasks.entry import Entry

_CAR = re.compile(r"([A-Z])\1?([+-])(\d{1,2})", re.ASCII)
_read_cars = matching(r"(?:([A-Z])\1?[+-]\d{1,2})+", re.ASCII)


class CarMoves(Moves):
    """Moves such as ``A+1`` or ``AA+1`` in any form of a list, also next to each other."""

    def read(self, text: str, entry: Entry) -> str | None:
        cars = _CAR.findall(joined_items(plain_signs(text), _read_cars, " ") or "")
        return " ".join(f"{car}{sign}{int(steps)}" for car, sign, steps in cars) or None

    def forms(self, reference: str, question: str) -> Forms:
        return super().forms(reference, question) | minus_sign(reference)
