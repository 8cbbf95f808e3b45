"""Groups of words with the same letters."""

from __future__ import annotations

import json
import random

from rgenv.tasks.answers.grids import Groups
from rgenv.tasks.answers.kind import Forms


class Anagrams(Groups):
    """Groups of words."""

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        value = json.loads(reference)
        changes = {
            "group left out": value[:-1] or [["q"]],
            "word left out": [value[0][1:], *value[1:]],
        }
        if len(value) > 1:
            one, other, *rest = value
            changes["exchanged"] = [[other[0], *one[1:]], [one[0], *other[1:]], *rest]
            changes["merged"] = [one + other, *rest]
        return {name: json.dumps(changed) for name, changed in changes.items()}
