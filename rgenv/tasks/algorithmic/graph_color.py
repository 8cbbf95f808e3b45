"""Colour a graph so that neighbours differ."""

import json
import math
import random
import re
from collections.abc import Sequence
from itertools import chain, combinations

from rgenv.tasks import Answer, Entry, Task, all_or_nothing, changed, moving, random_of
from rgenv.tasks.answers.mappings import pairs
from rgenv.tasks.symmetries import sorted_amounts


class Colours(Answer):
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


TRIES = 50
"""Graphs to draw for a problem. Of those with eight vertices, 4 of 100 have what is asked for."""


def harden(entry: Entry) -> Entry | None:
    """Draw another graph: the first free colour solves all of the library's problems, .01 of these.

    It fails forwards, backwards, and if the vertices with the most neighbours come first.
    """
    if "edge_probability" in entry["config"]:
        return None
    rng = random_of(entry)
    puzzle = entry["metadata"]["puzzle"]
    for _ in range(TRIES):
        edges, solution = _graph_to_colour(rng, puzzle["vertices"], puzzle["color_options"])
        if not _is_coloured_in_turn(edges, puzzle["vertices"], len(puzzle["color_options"])):
            break
    question = re.sub("(?m)^Edges: .*", f"Edges: {edges}", entry["question"])
    puzzle = puzzle | {"edges": edges}
    return changed(entry, question, entry["answer"], puzzle=puzzle, possible_answer=solution)


def _graph_to_colour(
    rng: random.Random, vertices: Sequence[int], colours: Sequence[int]
) -> tuple[list[tuple[int, int]], dict[int, int]]:
    """Return edges between vertices of different colours, and the colours.

    There are about as many as a random graph has when colours run short: with more, one choice
    after another is forced, and with fewer, any choice will do.
    """
    shuffled = rng.sample(vertices, len(vertices))
    solution = {vertex: colours[n % len(colours)] for n, vertex in enumerate(shuffled)}
    apart = [pair for pair in combinations(vertices, 2) if solution[pair[0]] != solution[pair[1]]]
    # For large graphs with k colours: 2k ln k - ln k - 1 neighbours for each vertex.
    neighbours = (2 * len(colours) - 1) * math.log(len(colours)) - 1
    wanted = round(max(0.0, neighbours) * (len(vertices) + 1 - len(colours)) / 2)
    return sorted(rng.sample(apart, min(max(0, wanted), len(apart)))), solution


def _is_coloured_in_turn(
    edges: Sequence[tuple[int, int]], vertices: Sequence[int], colours: int
) -> bool:
    """Return whether the first free colour will do for each vertex, in one of three orders."""
    near: dict[int, set[int]] = {vertex: set() for vertex in vertices}
    for one, other in edges:
        near[one].add(other)
        near[other].add(one)
    by_neighbours = sorted(vertices, key=lambda vertex: -len(near[vertex]))
    for order in (vertices, vertices[::-1], by_neighbours):
        chosen: dict[int, int] = {}
        for vertex in order:
            taken = {chosen.get(neighbour) for neighbour in near[vertex]}
            chosen[vertex] = next(n for n in range(len(taken) + 1) if n not in taken)
        if max(chosen.values()) < colours:
            return True
    return False


def family(entry: Entry) -> object:
    """Keep number of neighbours of each vertex, number of colours; ignore names of vertices, order
    of the edges.
    """
    listed = re.findall(r"^(Edges|Possible colors): (.*)", entry["question"], re.MULTILINE)
    lines = dict(listed)
    edges = re.findall(r"\((\d+), (\d+)\)", lines["Edges"])
    return sorted_amounts(chain.from_iterable(edges)), len(json.loads(lines["Possible colors"]))


TASK = Task(
    answer=Colours(),
    also_right="any proper colouring",
    harden=harden,
    verify=all_or_nothing,
    solve=lambda metadata: json.dumps(metadata["possible_answer"]),
    family=family,
    # The library colours graphs with the first free colour, until it draws one where that will do.
    levels=moving(num_vertices=[(8, 9), (10, 12), (13, 16), (17, 20), (21, 25)], num_colors=[3]),
)
