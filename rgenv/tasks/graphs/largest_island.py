"""Find the size of the largest island in a grid."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from random import Random

from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.boards import MAX_BOARDS, flood, grid_text, neighbours
from rgenv.tasks.boards import Cell as Cell_
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.rewriting import random_of, with_solution
from rgenv.tasks.symmetries import turned_grid
from rgenv.tasks.verifying import exact

RIVALS = (2, 3)
"""Islands nearly as large as the largest: at least, and at most."""
GAPS = (1, 1, 1, 2, 2, 3)
"""Cells that the largest of the rivals lacks; others lack up to two more."""
SHAPES = {"straight": (1, -1), "winding": (1, 1), "compact": (-1, 0)}
"""How an island grows: the weights of the neighbours and of the cells ahead of a cell."""
MORE_ISLANDS = 3
"""Islands more than there must be, at most."""
MIN_LAND, MIN_SIDE = 3, 12
"""Ones of the library's grid, at least, and rows and columns of the one that replaces it.

Empty grids would be replaced by the same few, and in a small grid hardly two islands are large.
"""


def correct(entry: Entry) -> Entry | None:
    """Replace the grid by one in which the number of ones says nothing about the largest island.

    Some others are nearly as large and have any shape: only counting tells them apart.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    height, width = len(meta["grid"]), len(meta["grid"][0])
    rows, columns = max(MIN_SIDE, height), max(MIN_SIDE, width)
    if sum(map(sum, meta["grid"])) < MIN_LAND:
        return None
    size, ones = meta["difficulty"]["island_size"][1], rows * columns * 2 // 5
    most = min(2 * size - 1, ones // (RIVALS[1] + 1))
    fewest = max(3, min(size * 4 // 5, most - 3))
    largest = rng.randint(fewest, max(fewest, most))
    # As many islands, whatever the largest: else their number would tell their size.
    islands = 2 - (fewest - ones) // (fewest - max(GAPS)) + rng.randint(0, MORE_ISLANDS)
    grid = _islands(rng, rows, columns, largest, ones, islands)
    head, old, tail = entry["question"].partition(grid_text(meta["grid"]))
    size_before = f"{height} x {width} binary"
    if grid is None or not old or size_before not in head:
        return None
    head = head.replace(size_before, f"{rows} x {columns} binary")
    return with_solution(entry, f"{head}{grid_text(grid)}{tail}", largest, grid=grid)


def _islands(
    rng: Random, rows: int, columns: int, largest: int, ones: int, count: int
) -> list[list[int]] | None:
    """Return a grid with an island of `largest` cells and smaller ones, `ones` in all, if found."""
    for _ in range(2 * MAX_BOARDS):
        land: set[Cell_] = set()
        taken: set[Cell_] = set()  # land and its neighbours
        for size in _sizes(rng, largest, ones, count):
            island = _grown(rng, rows, columns, size, taken, rng.choice(list(SHAPES)))
            if island is None:
                break
            land |= island
            taken |= island | {near for cell in island for near in neighbours(cell, rows, columns)}
        else:
            return [[int((r, c) in land) for c in range(columns)] for r in range(rows)]
    return None


def _sizes(rng: Random, largest: int, ones: int, count: int) -> list[int]:
    """Return the sizes of `count` islands; the largest and its rivals come first, in any order.

    What is placed first is most often in the middle.
    """
    rivals, gap = rng.randint(*RIVALS), rng.choice(GAPS)
    sizes, left = [largest], ones - largest
    for after in range(count - 2, -1, -1):  # islands after this one
        most = min(largest - gap, left - after)
        least = most - 2
        if len(sizes) == 1:
            least = most
        elif len(sizes) > rivals:
            least, most = 1, min(most, 2 * left // (after + 1))
        sizes.append(rng.randint(min(max(least, left - after * (largest - gap)), most), most))
        left -= sizes[-1]
    first, rest = sizes[: rivals + 1], sizes[rivals + 1 :]
    rng.shuffle(first)
    return first + sorted(rest, reverse=True)


def _grown(
    rng: Random, rows: int, columns: int, size: int, taken: set[Cell_], shape: str
) -> set[Cell_] | None:
    """Return a random island of `size` cells that are not taken; None if it does not fit."""
    for _ in range(20):
        start = rng.randrange(rows), rng.randrange(columns)
        if start in taken:
            continue
        island = {start}
        coast = [near for near in neighbours(start, rows, columns) if near not in taken]
        while coast and len(island) < size:
            places = [rng.randrange(len(coast)) for _ in range(4)]
            cell = coast.pop(min(places, key=lambda place: _rank(coast[place], island, shape)))
            if cell not in island:
                island.add(cell)
                coast += [near for near in neighbours(cell, rows, columns) if near not in taken]
        if len(island) == size:
            return island
    return None


def _rank(cell: Cell_, island: set[Cell_], shape: str) -> int:
    """Return a number that is lower for a cell that suits the shape of an island better."""
    row, column = cell
    beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    beyond = [(row - 2, column), (row + 2, column), (row, column - 2), (row, column + 2)]
    ahead = branching = 0
    for near, far in zip(beside, beyond, strict=True):
        if near in island:
            y, x = near
            branching += 1 + sum(
                other in island for other in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1))
            )
            ahead += far in island
    return SHAPES[shape][0] * branching + SHAPES[shape][1] * ahead


Cell = tuple[int, int]
MAX_CELLS = 2000
"""Cells of the largest grid whose islands are told apart."""


def shortcuts(question: str) -> Answers:
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


TASK = Task(
    answer=Number(),
    correct=correct,
    verify=exact,
    shortcuts=shortcuts,
    kept={
        "the first island": 0.4,
        "the first island from the left": 0.4,
        "the first island from the right": 0.4,
        "the last island": 0.4,
        "the island in the middle": 0.4,
        "the island with the longest run": 0.4,
        "the island with the second longest run": 0.4,
        "the island with the longest run down": 0.4,
        "the island of most rows": 0.4,
        "the island of most columns": 0.4,
        "the island with a cell beside most others": 0.4,
        "the island where most land is near": 0.25,
        "the island in the largest box": 0.2,
        "the island with the longest three runs": 0.3,
    },
    family=turned_grid,
    # Islands grow in number and size with the grid; at 75 rows the grid is mostly empty. Grids
    # below 12 by 12 are enlarged (labels/surfaces).
    levels=Levels(
        knots={
            "min_rows": [11, 13, 15, 17, 20],
            "max_rows": [12, 14, 16, 19, 22],
            "min_cols": [11, 13, 15, 17, 20],
            "max_cols": [12, 14, 16, 19, 22],
            "min_num_islands": [3, 4, 6, 8, 11],
            "max_num_islands": [4, 6, 8, 11, 15],
            "min_island_size": [3, 4, 5, 7, 9],
            "max_island_size": [10, 11, 13, 16, 20],
        }
    ),
)
