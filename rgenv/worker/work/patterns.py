"""Work of recognizing: objects, letters, and the operations behind a pattern."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from rgenv.tasks.entry import Entry
from rgenv.worker.work.moves import flood

Grid = Sequence[Sequence[int]]


def arc_1d(entry: Entry) -> float:
    """Count objects and changed cells, as `arc` does."""
    test = entry["metadata"]["test_example"]
    return doublings([test["input"]], [test["output"]])


def arc(entry: Entry) -> float:
    """Count the objects of the test input and the cells that the rule changes, in doublings."""
    return doublings(entry["metadata"]["input"], entry["metadata"]["output"])


def doublings(before: Grid, after: Grid) -> float:
    """Return the binary logarithm of the objects of `before` and the cells that change.

    The tasks differ a hundredfold, so a mean of the counts would be that of a few of them.
    """
    return math.log2(1 + objects(before) + changes(before, after))


def changes(before: Grid, after: Grid) -> int:
    """Count the cells that differ; all cells of `after` where the grids differ in size."""
    if len(before) != len(after) or len(before[0]) != len(after[0]):
        return len(after) * len(after[0])
    pairs = (pair for rows in zip(before, after, strict=True) for pair in zip(*rows, strict=True))
    return sum(old != new for old, new in pairs)


def objects(grid: Grid) -> int:
    """Count the connected areas of one colour."""
    cells = {(r, c): colour for r, row in enumerate(grid) for c, colour in enumerate(row)}
    count = 0
    while cells:
        start, colour = next(iter(cells.items()))
        alike = {cell for cell, other in cells.items() if other == colour}
        for cell in flood([start], alike):
            del cells[cell]
        count += 1
    return count


def emoji_mystery(entry: Entry) -> float:
    """Count the characters to decode."""
    return float(len(entry["answer"]))


def figlet_font(entry: Entry) -> float:
    """Count the letters to recognize, twice where no space sets them apart."""
    return float(len(entry["answer"]) * (1 if entry["metadata"]["space_letters"] else 2))


def number_sequence(entry: Entry) -> float:
    """Count the operations of the rule."""
    rule = entry["metadata"]["rule"]
    return float(rule.count(" then ") + 1 if rule else 0)


def rectangle_count(entry: Entry) -> float:
    """Count the rectangles."""
    return float(entry["answer"])


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "arc_1d": arc_1d,
    "arc_agi": arc,
    "emoji_mystery": emoji_mystery,
    "figlet_font": figlet_font,
    "number_sequence": number_sequence,
    "rearc": arc,
    "rectangle_count": rectangle_count,
}
