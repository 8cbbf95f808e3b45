"""Boards of living and dead cells."""

from __future__ import annotations

import json
import random

from rgenv.tasks.answers.grids import rows
from rgenv.tasks.answers.json_values import JsonValue
from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.lists import matching
from rgenv.tasks.entry import Entry

_read_bit = matching("[01]")


class LifeBoard(JsonValue):
    """A board of 0 and 1 in any form of a grid."""

    def read(self, text: str, entry: Entry) -> str | None:
        found = rows(text, _read_bit, single=True)
        if found is None:
            return None
        return "[" + ",".join(f"[{','.join(row)}]" for row in found) + "]"

    def forms(self, reference: str, question: str) -> Forms:
        found = json.loads(reference)
        return super().forms(reference, question) | {
            "JSON on lines": "[" + ",\n ".join(json.dumps(row) for row in found) + "]",
            "lines": "\n".join(" ".join(map(str, row)) for row in found),
        }

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        found = json.loads(reference)
        row = rng.randrange(len(found))
        column = rng.randrange(len(found[row]))
        found[row][column] = 1 - found[row][column]
        changes = {"cell": found, "row left out": found[:-1]}
        return {name: json.dumps(new, separators=(",", ":")) for name, new in changes.items()}
