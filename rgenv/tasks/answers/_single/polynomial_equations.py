"""Roots of a polynomial."""

from __future__ import annotations

import random
import re

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import (
    MAX_CHARS,
    SHORT_NUMBER,
    full_width,
    minus_sign,
    plain,
    plain_signs,
    read_number,
)
from rgenv.tasks.answers.numbers import assignments, without_name
from rgenv.tasks.entry import Entry

_MAX_ROOTS = 100


class Roots(Answer):
    """The solutions of an equation: numbers, each of which may follow ``name =``.

    Commas or line ends are between them, and square brackets may be around them.
    """

    def read(self, text: str, entry: Entry) -> str | None:
        text = plain_signs(text.strip())
        if len(text) > MAX_CHARS:
            return None
        name = str(entry["metadata"].get("variable", ""))
        if text[:1] == "[" and text[-1:] == "]":
            text = text[1:-1]
        pieces = re.split(r"[,\n]", text)
        given = [read_number(without_name(p.strip(), name)) for p in pieces[: _MAX_ROOTS + 1]]
        values = [number.value for number in given if number is not None]
        if len(values) < len(given) or len(given) > _MAX_ROOTS:
            return None
        return ", ".join(map(plain, values))

    def forms(self, reference: str, question: str) -> Forms:
        values = reference.split(", ")
        if not all(map(SHORT_NUMBER.fullmatch, values)):
            return assignments(reference, question)
        padded = [f"{float(value):.4f}" for value in values]
        forms = {
            "four decimals": ", ".join(padded),
            "no zeros": ", ".join(value.rstrip("0").rstrip(".") for value in padded),
        } | full_width(reference)
        if len(values) > 1:
            forms |= {
                "reversed": ", ".join(values[::-1]),
                "no spaces": ",".join(values),
                "JSON": f"[{reference}]",
                "lines": "\n".join(values),
            }
        return forms | minus_sign(reference) | assignments(reference, question)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        values = [float(value) for value in reference.split(",") if value.strip()]
        if not values:
            return {"one root": f"{rng.randint(1, 99) / 10}"}
        moved = [*values]
        moved[rng.randrange(len(values))] += rng.choice([-1, 1]) * rng.randint(1, 400) / 100
        added = [*values, max(values) + rng.randint(1, 9)]
        changes = {"moved": moved, "added": added}
        if len(values) > 1:
            changes["left out"] = values[1:]
        return {
            name: ", ".join(str(round(value, 4)) for value in changed)
            for name, changed in changes.items()
            if sorted(changed) != sorted(values)
        }
