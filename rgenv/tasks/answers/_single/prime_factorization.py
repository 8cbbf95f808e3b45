"""Factors of a number."""

from __future__ import annotations

import random
import re

from rgenv.tasks.answers.expressions import MAX_FORMULA
from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import plain, plain_signs, read_number
from rgenv.tasks.entry import Entry

_MAX_FACTORS = 300
_SIGN = re.compile(r"[×x*·⋅∙]|\\times|\\cdot", re.I)
_FACTOR = re.compile(r"([\d,]{1,300})(?:\s*\^\s*(?:\{\s*(\d{1,3})\s*\}|(\d{1,3})))?", re.ASCII)
_SUPERSCRIPT = re.compile(r"(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


class Factors(Answer):
    """A product of whole numbers and their powers, with any sign: ``2^2 x 5``."""

    def read(self, text: str, entry: Entry) -> str | None:
        if len(text) > MAX_FORMULA:
            return None
        text = _SUPERSCRIPT.sub(
            lambda found: "^" + found[0].translate(_SUPERSCRIPTS), plain_signs(text)
        )
        pieces = _SIGN.split(text.replace("**", "^"))
        product: list[str] = []
        for piece in pieces[: _MAX_FACTORS + 1]:
            match = _FACTOR.fullmatch(piece.strip())
            base = read_number(match[1]) if match else None
            power = int(match[2] or match[3] or 1) if match else 0
            if base is None or not 1 <= power <= _MAX_FACTORS - len(product):
                return None
            product += [plain(base.value)] * power
        return " × ".join(product)

    def forms(self, reference: str, question: str) -> Forms:
        parts = reference.split(" × ")
        return {"no spaces": "×".join(parts), "reversed": " × ".join(parts[::-1])}

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        parts = reference.split(" × ")
        changed = [*parts]
        place = rng.randrange(len(parts))
        changed[place] = str(int(parts[place]) + rng.randint(1, 9))
        added = [*parts, str(rng.choice([2, 3, 5]))]
        changes = {"changed": " × ".join(changed), "added": " × ".join(added)}
        if len(parts) > 1:
            changes["left out"] = " × ".join(parts[1:])
        return changes
