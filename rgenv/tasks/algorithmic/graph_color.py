"""Colour a graph so that neighbours differ."""

from __future__ import annotations

import json
import random
import re
from itertools import chain

from rgenv.tasks.answers.json_values import JsonValue
from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.mappings import pairs
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import compact_json
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.symmetries import sorted_amounts
from rgenv.tasks.verifying import all_or_nothing


def _graph(question: str) -> tuple[list[str], list[tuple[str, str]], list[int]]:
    """Return the vertices, the edges and the colours of a question."""
    lines = dict(re.findall(r"^(Vertices|Edges|Possible colors): (.*)", question, re.MULTILINE))
    edges = re.findall(r"\((\d+), (\d+)\)", lines["Edges"])
    return re.findall(r"\d+", lines["Vertices"]), edges, json.loads(lines["Possible colors"])


class Colours(JsonValue):
    """A colour for each vertex in any form of a mapping.

    The library ignores colours of other vertices.
    """

    name = "mapping"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        found = pairs(text, r"[0-9]{1,5}", r"[0-9]{1,5}(?:\.0)?")
        if found is None or found.keys() != set(map(str, entry["metadata"]["puzzle"]["vertices"])):
            return None
        return json.dumps({vertex: int(float(colour)) for vertex, colour in found.items()})

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        value = json.loads(reference)
        vertex = rng.choice(list(value))
        changes = {
            "left out": {key: colour for key, colour in value.items() if key != vertex},
            "impossible": value | {vertex: 99},
        }
        if edges := _graph(question)[1]:
            one, other = rng.choice(edges)
            changes["neighbours"] = value | {one: value[other]}
        return {name: json.dumps(changed) for name, changed in changes.items()}


def shortcuts(question: str) -> Answers:
    vertices, _, colours = _graph(question)
    choices = {
        f"turns of {count}": [colours[n % count] for n in range(len(vertices))]  # .12 .26 .30
        for count in sorted({2, 3, len(colours)})
        if count <= len(colours)
    }
    if len(colours) > 1:
        half = len(vertices) // 2
        choices["two halves"] = [colours[n >= half] for n in range(len(vertices))]  # .13
    return {
        name: compact_json(dict(zip(vertices, chosen, strict=True)))
        for name, chosen in choices.items()
    }


def family(entry: Entry) -> object:
    """Keep number of neighbours of each vertex, number of colours; ignore names of vertices, order
    of the edges.
    """
    _, edges, colours = _graph(entry["question"])
    return sorted_amounts(chain.from_iterable(edges)), len(colours)


TASK = Task(
    answer=Colours(),
    verify=all_or_nothing,
    solve=lambda metadata: json.dumps(metadata["possible_answer"]),
    shortcuts=shortcuts,
    several_answers=True,
    family=family,
    # The curriculum keeps the sparse graphs of the default. Here edges are added until colours
    # run short.
    levels=Levels(
        knots={
            "min_num_vertices": [6, 8, 10, 13, 16],
            "max_num_vertices": [9, 11, 13, 16, 20],
            "num_colors": [4, 4, 4, 4, 4],
            "edge_probability": [0.3, 0.35, 0.4, 0.4, 0.4],
        }
    ),
)
