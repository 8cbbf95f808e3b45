"""Colour a graph so that neighbours differ."""

from __future__ import annotations

import json
import random
import re

from rgenv.tasks.answers.json_values import JsonValue
from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.mappings import pairs
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import compact_json, integers_in
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.symmetries import part_of, sorted_amounts, sorted_numbers, sorted_pairs
from rgenv.tasks.verifying import all_or_nothing


class Colours(JsonValue):
    """A colour for each vertex in any form of a mapping.

    The library ignores colours of other vertices.
    """

    name = "mapping"
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


def shortcuts(question: str) -> Answers:
    """Colour the vertices in turns, or each half in one colour."""
    vertices = integers_in(question.split("Vertices: ", 1)[1].split("\n", 1)[0])
    colours = integers_in(question.split("colors: ", 1)[1].split("\n", 1)[0])
    answers = {
        f"turns of {count}": compact_json(
            {str(v): colours[n % count] for n, v in enumerate(vertices)}
        )
        for count in sorted({2, 3, len(colours)})  # .12 .26 .30
        if count <= len(colours)
    }
    half = len(vertices) // 2
    if len(colours) > 1:
        halves = {str(v): colours[n >= half] for n, v in enumerate(vertices)}
        answers["two halves"] = compact_json(halves)  # .13
    return answers


def family(entry: Entry) -> object:
    """Keep number of neighbours of each vertex, number of colours; ignore names of vertices, order
    of the edges.
    """
    colours = sorted_numbers(part_of(r"colors: \[(.*?)\]", entry))
    return sorted_amounts(vertex for edge in sorted_pairs(entry) for vertex in edge), len(colours)


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
