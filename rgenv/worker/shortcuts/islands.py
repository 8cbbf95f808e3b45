"""Rules for the largest island: they count one island that is chosen by its looks.

To compare all islands is no shortcut, nor to compare an estimate of each, such as its blocks of
four. In a grid with few islands, any of them may be the largest.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from random import Random
from types import MappingProxyType

from rgenv.worker.work.moves import flood

Answers = dict[str, str]
Cell = tuple[int, int]

MAX_CELLS = 2000
"""Cells of the largest grid whose islands are told apart."""


def largest_island(question: str) -> Answers:
    """Count the land of one island that stands out."""
    block = question.split("binary matrix grid:\n", 1)[1].split("\n\n", 1)[0]
    rows = block.replace(" ", "").split("\n")
    if len(block.split()) > MAX_CELLS or "1" not in block:
        return {}
    return {name: str(len(island)) for name, island in _chosen(rows).items()}


def _chosen(rows: Sequence[str]) -> dict[str, Collection[Cell]]:
    """Return islands that stand out, by what they stand out for."""
    # Where several do, the place of the one taken must not matter: rules decide what is served.
    found = islands(rows)
    Random("\n".join(rows)).shuffle(found)
    middle = (len(rows) - 1) / 2, (len(rows[0]) - 1) / 2
    return {
        "the first island": min(found, key=min),  # .14
        "the last island": max(found, key=max),  # .18
        "the first island from the left": min(  # .11
            found, key=lambda i: min((x, y) for y, x in i)
        ),
        "the first island from the right": max(  # .19
            found, key=lambda i: max((x, y) for y, x in i)
        ),
        "the island with the longest run": max(found, key=_longest_run),  # .33
        "the island with the second longest run": (  # .32
            sorted(found, key=_longest_run)[-2:][0]
        ),
        "the island with the longest run down": max(  # .38
            found, key=lambda i: _longest_run({(x, y) for y, x in i})
        ),
        "the island in the middle": min(  # .21
            found, key=lambda i: min(abs(y - middle[0]) + abs(x - middle[1]) for y, x in i)
        ),
        "the island of most rows": max(found, key=lambda i: len({y for y, _ in i})),  # .42
        "the island of most columns": max(found, key=lambda i: len({x for _, x in i})),  # .41
        "the island with a cell beside most others": max(  # .40
            found, key=lambda i: max(sum(near in i for near in _beside(cell)) for cell in i)
        ),
        "the island in the largest box": max(found, key=_box),  # .59
        "the island with the longest three runs": max(  # .45
            found, key=lambda i: max(_three_runs(rows, cell) for cell in i)
        ),
        "the island where most land is near": max(  # .40
            found, key=lambda i: max(_land_near(rows, cell) for cell in i)
        ),
    }


def islands(rows: Sequence[str]) -> list[set[Cell]]:
    """Return the cells of each island, in the order of the islands' first cells."""
    left = {(y, x) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell == "1"}
    found = []
    for start in sorted(left):
        if start in left:
            found.append(set(flood([start], left)))
            left -= found[-1]
    return found


def _beside(cell: Cell) -> Sequence[Cell]:
    y, x = cell
    return (y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)


def _land_near(rows: Sequence[str], cell: Cell) -> int:
    """Count the land in the five rows and columns around a cell."""
    y, x = cell
    window = (row[max(x - 2, 0) : x + 3] for row in rows[max(y - 2, 0) : y + 3])
    return sum(row.count("1") for row in window)


def _box(island: Collection[Cell]) -> int:
    """Return the cells of the smallest box around an island."""
    sides = zip(*island, strict=True)
    return math.prod(max(side) - min(side) + 1 for side in sides)


def _three_runs(rows: Sequence[str], cell: Cell) -> int:
    """Return the cells in the runs through a cell and straight above and below it."""
    y, x = cell
    near = rows[max(y - 1, 0) : y + 2]
    return sum(len(re.split("0", row[:x])[-1] + re.split("0", row[x:])[0]) for row in near)


def _longest_run(island: Collection[Cell]) -> int:
    longest = run = 0
    for y, x in sorted(island):
        run = run + 1 if (y, x - 1) in island else 1
        longest = max(longest, run)
    return longest


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType({"largest_island": largest_island})
