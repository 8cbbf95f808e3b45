"""Colours for the vertices of a graph."""

from __future__ import annotations

import json
import random
import re

from rgenv.tasks.answers.json_values import JsonValue
from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.mappings import pairs
from rgenv.tasks.entry import Entry


class Colours(JsonValue):
    """A colour for each vertex in any form of a mapping.

    The library ignores colours of other vertices.
    """

    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        found = pairs(text, r"[0-9]{1,5}", r"[0-9]{1,5}")
        vertices = {str(vertex) for vertex in entry["metadata"]["puzzle"]["vertices"]}
        if found is None or found.keys() != vertices:
            return None
        return json.dumps({vertex: int(colour) for vertex, colour in found.items()})

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        value = json.loads(reference)
        vertex = rng.choice(list(value))
        changes = {
            "left out": {key: colour for key, colour in value.items() if key != vertex},
            "impossible": value | {vertex: 99},
        }
        edges = re.findall(r"\((\d+), (\d+)\)", question)
        if edges:
            one, other = rng.choice(edges)
            changes["neighbours"] = value | {one: value[other]}
        return {name: json.dumps(changed) for name, changed in changes.items()}
