"""Words divided into palindromes."""

from __future__ import annotations

import json
import random

from rgenv.tasks.answers.grids import Groups
from rgenv.tasks.answers.kind import Forms


class Partitions(Groups):
    """All the ways to divide a word."""

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        value = json.loads(reference)
        return {
            "left out": json.dumps(value[:-1]),
            "added": json.dumps([*value, ["q", *value[0]]]),
            "changed": json.dumps([[*value[0], "q"], *value[1:]]),
        }
