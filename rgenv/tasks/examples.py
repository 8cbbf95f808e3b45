"""Grids of examples and a test: what changes from input to output."""

import math
from collections.abc import Sequence

from rgenv.tasks.boards import reached
from rgenv.tasks.entry import Entry
from rgenv.tasks.symmetries import turned_and_renamed, turns


def instructive(entry: Entry) -> Entry | None:
    """Return the entry; None if its examples show a rule that is wrong for the test.

    All examples may copy, turn or mirror the input, or have the same output, although the rule does
    something else to the test.
    """
    *examples, test = entry["question"].split("Input:")[1:]
    pairs = [_pair(example.partition("\n\n")[0]) for example in examples]
    before, after = _pair(f"{test}Output:{entry['answer']}")
    shown = set(range(8))
    for given, made in pairs:
        shown &= {n for n, turned in enumerate(turns(given)) if turned == made}
        if not shown:
            break
    misleading = any(turned != after for n, turned in enumerate(turns(before)) if n in shown)
    outputs = [made for _, made in pairs]
    same = all(made == outputs[0] != after for made in outputs)
    return None if misleading or same else entry


def _pair(text: str) -> list[list[tuple[str, ...]]]:
    """Return the grids before and after ``Output:``."""
    return [
        [tuple(row.split()) for row in grid.strip().split("\n")] for grid in text.split("Output:")
    ]


def turned_test(entry: Entry) -> object:
    """Keep the grid of the test; ignore rotations, mirrors, other colours, the examples."""
    _, _, text = entry["question"].rpartition("Input:")
    return turned_and_renamed([line.split() for line in text.splitlines() if line.strip()])


Grid = Sequence[Sequence[int]]


def objects_and_changes(entry: Entry) -> float:
    """Count the objects of the test input and the cells that the rule changes, in doublings."""
    return doublings(entry["metadata"]["input"], entry["metadata"]["output"])


def doublings(before: Grid, after: Grid) -> float:
    """Return the binary logarithm of the objects of `before` and the cells that change.

    The tasks differ a hundredfold, so a few of them would decide a mean of the counts.
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
    cells: dict[int, int] = {}  # of each colour, as bits; no cell is beside a row
    place, count = 1, 0
    for row in grid:
        for colour in row:
            cells[colour] = cells.get(colour, 0) | place
            place <<= 1
        place <<= 1
    for left in cells.values():
        while left:
            left ^= reached(left & -left, left, len(grid[0]) + 1)
            count += 1
    return count
