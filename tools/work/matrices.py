"""Work on grids of numbers: cells counted, distances, operations.

Example::

    game_of_life(entry)    # 96.0: cells with a living neighbour, summed over all steps
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Mapping

from rgenv.tasks.entry import Entry

Cells = frozenset[tuple[int, int]]
"""The living cells of a board."""

_MAX_STEPS = 4
"""Steps after which most patterns that die are dead. A few boards go on for hundreds of steps,
which nobody counts by hand, and which would be most of a mean."""


def binary_matrix(entry: Entry) -> float:
    """Return the sum of all distances: the steps of a search from the zeros."""
    return float(sum(map(sum, entry["metadata"]["solution"])))


def manipulate_matrix(entry: Entry) -> float:
    """Return the number of operations."""
    return float(len(entry["metadata"]["operations"]))


def game_of_life(entry: Entry) -> float:
    """Return the cells with a living neighbour, summed over all steps."""
    rows = ast.literal_eval(entry["question"].split("\n\n")[-1].rstrip("."))
    cells, size = _living(rows), (len(rows), len(rows[0]))
    work = 0
    for _ in range(entry["metadata"]["simulation_steps"]):
        neighbours = _neighbours(cells, size)
        work += len(neighbours)
        cells = _next(cells, neighbours)
    return float(work)


def game_of_life_halting(entry: Entry) -> float:
    """Return the cells with a living neighbour, summed until the board dies, or for four steps."""
    board = entry["question"].split("Initial board:\n")[1]
    rows = [[int(cell) for cell in re.findall(r"[01]", line)] for line in board.splitlines()]
    cells, size = _living(rows), (len(rows), len(rows[0]))
    work = 0
    for _ in range(_MAX_STEPS):
        neighbours = _neighbours(cells, size)
        work += len(neighbours)
        cells = _next(cells, neighbours)
    return float(work)


def _living(rows: list[list[int]]) -> Cells:
    return frozenset((r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell)


def _neighbours(cells: Cells, size: tuple[int, int]) -> Counter[tuple[int, int]]:
    """Return the number of living neighbours of each cell that has one, on a board that wraps."""
    height, width = size
    return Counter(
        ((r + down) % height, (c + right) % width)
        for r, c in cells
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
        if down or right
    )


def _next(cells: Cells, neighbours: Counter[tuple[int, int]]) -> Cells:
    return frozenset(
        cell for cell, count in neighbours.items() if count == 3 or (count == 2 and cell in cells)
    )


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "binary_matrix": binary_matrix,
    "game_of_life": game_of_life,
    "game_of_life_halting": game_of_life_halting,
    "manipulate_matrix": manipulate_matrix,
}
