"""Find the size of the largest island in a grid."""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import permutations
from random import Random

from rgenv.tasks import (
    Answers,
    Entry,
    Number,
    Task,
    exact,
    moving,
    random_of,
    replaced,
    with_solution,
)
from rgenv.tasks.boards import STEPS, Cell, areas, neighbours
from rgenv.tasks.questions import rows_written
from rgenv.tasks.shortcuts import is_kept
from rgenv.tasks.symmetries import turned_grid

Island = set[Cell]

RIVALS = (2, 3)
"""Islands nearly as large as the largest: at least, and at most."""
GAPS = (1, 1, 1, 2, 2, 3)
"""Cells that the largest of the rivals lacks; others lack up to two more."""
SHAPES = {"straight": (1, -1), "winding": (1, 1), "compact": (-1, 0)}
"""How an island grows: the weights of the neighbours and of the cells ahead of a cell."""
MAX_GRIDS = 100
"""Grids that are tried until no rule that looks at one island finds the largest."""
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
    count = 2 - (fewest - ones) // (fewest - max(GAPS)) + rng.randint(0, MORE_ISLANDS)
    size_before, shown = f"{height} x {width} binary", rows_written(meta["grid"])
    asked = replaced(entry["question"], size_before, f"{rows} x {columns} binary")
    for grid in _grids(rng, rows, columns, largest, ones, count):
        question = replaced(asked, shown, rows_written(grid))
        made = with_solution(entry, question, largest, grid=grid)
        if not any(
            len(island) == largest and not is_kept(name, made, TASK.kept[name])
            for name, island in _outstanding(["".join(map(str, row)) for row in grid])
        ):
            return made
    return None


def _grids(
    rng: Random, rows: int, columns: int, largest: int, ones: int, count: int
) -> Iterator[list[list[int]]]:
    """Yield grids with an island of `largest` cells and smaller ones, `ones` in all.

    The largest and its rivals grow alike. Then they take their sizes in every order: each island
    ends where it had its size.
    """
    for _ in range(MAX_GRIDS):
        rivals, others = _sizes(rng, largest, ones, count)
        grown = list[list[Cell]]()
        taken = Island()  # land and its neighbours
        for size in [largest] * len(rivals) + others:
            island = _grown(rng, rows, columns, size, taken, rng.choice(list(SHAPES)))
            if island is None:
                break
            grown.append(island)
            taken.update(island, *(neighbours(cell, rows, columns) for cell in island))
        else:
            orders = [*dict.fromkeys(permutations(rivals))]
            rng.shuffle(orders)
            for order in orders:
                islands_of_sizes = zip(grown, [*order, *others], strict=True)
                land = {cell for island, size in islands_of_sizes for cell in island[:size]}
                yield [[int((r, c) in land) for c in range(columns)] for r in range(rows)]


def _sizes(rng: Random, largest: int, ones: int, count: int) -> tuple[list[int], list[int]]:
    """Return the sizes of `count` islands: of the largest and its rivals, and of the others."""
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
    return first, sorted(rest, reverse=True)


def _grown(
    rng: Random, rows: int, columns: int, size: int, taken: Island, shape: str
) -> list[Cell] | None:
    """Return the cells of a random island that are not taken, as it grows; None if none fits."""
    for _ in range(20):
        start = rng.randrange(rows), rng.randrange(columns)
        if start in taken:
            continue
        island = {start: None}
        coast = [near for near in neighbours(start, rows, columns) if near not in taken]
        while coast and len(island) < size:
            places = [int(rng.random() * len(coast)) for _ in range(4)]
            cell = coast.pop(min(places, key=lambda place: _rank(coast[place], island, shape)))
            if cell not in island:
                island[cell] = None
                coast += [near for near in neighbours(cell, rows, columns) if near not in taken]
        if len(island) == size:
            return list(island)
    return None


def _rank(cell: Cell, island: Collection[Cell], shape: str) -> int:
    """Return a number that is lower for a cell that suits the shape of an island better."""
    (y, x), ahead, branching = cell, 0, 0
    for dy, dx in STEPS:
        if (y + dy, x + dx) in island:
            branching += 1 + _beside((y + dy, x + dx), island)
            ahead += (y + 2 * dy, x + 2 * dx) in island
    return SHAPES[shape][0] * branching + SHAPES[shape][1] * ahead


def _beside(cell: Cell, island: Collection[Cell]) -> int:
    """Count the cells of an island that are above, below or beside a cell."""
    y, x = cell
    above, below = (y - 1, x) in island, (y + 1, x) in island
    return above + below + ((y, x - 1) in island) + ((y, x + 1) in island)


MAX_CELLS = 2000
"""Cells of the largest grid whose islands are told apart."""


def shortcuts(question: str) -> Answers:
    """Count the land of one island that stands out."""
    block = question.split("binary matrix grid:\n", 1)[1].split("\n\n", 1)[0]
    rows = block.replace(" ", "").split("\n")
    if len(block.split()) > MAX_CELLS or "1" not in block:
        return {}
    return {name: str(len(island)) for name, island in _outstanding(rows)}


def _outstanding(rows: Sequence[str]) -> Iterator[tuple[str, Island]]:
    """Yield an island that stands out, by the name of a rule."""
    found = islands(rows)
    # Where several stand out, the place of the one taken must not matter.
    Random("\n".join(rows)).shuffle(found)
    keys: dict[str, Callable[[Island], float]] = {
        "the island in the largest box": _box,  # .59
        "the island with the longest run": _longest_run,  # .33
        "the island with the longest run down": lambda i: _longest_run({c[::-1] for c in i}),  # .38
        "the island of most rows": lambda i: len({y for y, _ in i}),  # .42
        "the island of most columns": lambda i: len({x for _, x in i}),  # .41
        "the island with a cell beside most others": lambda i: max(_beside(c, i) for c in i),  # .40
        "the island with the longest three runs": lambda i: max(_three_runs(rows, c) for c in i),
        "the island where most land is near": lambda i: max(_land_near(rows, c) for c in i),
    }  # the last two: .45 .40
    for name, key in keys.items():
        yield name, max(found, key=key)
    yield "the island with the second longest run", sorted(found, key=_longest_run)[-2:][0]  # .32


def islands(rows: Sequence[str]) -> list[Island]:
    """Return the cells of each island, in the order of the islands' first cells."""
    cells = {(y, x): cell for y, row in enumerate(rows) for x, cell in enumerate(row)}
    return list(areas({place: cell for place, cell in cells.items() if cell == "1"}))


def _longest_run(island: Island) -> int:
    longest = run = 0
    for y, x in sorted(island):
        run = run + 1 if (y, x - 1) in island else 1
        longest = max(longest, run)
    return longest


def _box(island: Island) -> int:
    """Return the cells of the smallest box around an island."""
    return math.prod(max(side) - min(side) + 1 for side in zip(*island, strict=True))


def _three_runs(rows: Sequence[str], cell: Cell) -> int:
    """Return the cells in the runs through a cell and straight above and below it."""
    y, x = cell
    # A zero at the end of each row ends its last run.
    near = [f"{row}0" for row in rows[max(y - 1, 0) : y + 2]]
    return sum(row.find("0", x) - row.rfind("0", 0, x) - 1 for row in near)


def _land_near(rows: Sequence[str], cell: Cell) -> int:
    """Count the land in the five rows and columns around a cell."""
    y, x = cell
    window = (row[max(x - 2, 0) : x + 3] for row in rows[max(y - 2, 0) : y + 3])
    return sum(row.count("1") for row in window)


TASK = Task(
    answer=Number(),
    correct=correct,
    verify=exact,
    shortcuts=shortcuts,
    kept={
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
    # below 12 by 12 are enlarged.
    levels=moving(
        rows=[(11, 12), (13, 14), (15, 16), (17, 19), (20, 22)],
        cols=[(11, 12), (13, 14), (15, 16), (17, 19), (20, 22)],
        num_islands=[(3, 4), (4, 6), (6, 8), (8, 11), (11, 15)],
        island_size=[(3, 10), (4, 11), (5, 13), (7, 16), (9, 20)],
    ),
    accepted={"shortcut": "the box, rows and runs of an island say much of the area that is asked"},
)
