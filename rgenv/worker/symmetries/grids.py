"""What the invariants of grids keep.

::

    turned(grid)     # the same for eight rotations and mirrors, and other symbols
    lines(grid)      # the same for any order of rows and of columns, too
    cells(grid)      # the same for any order of cells
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from rgenv.worker.symmetries.text import amounts, order_of_appearance

Grid = Sequence[Sequence[str]]


def grids(text: str) -> list[Grid]:
    """Return the grids of a text: lines of equal length whose words are symbols or numbers."""
    rows = [_symbols(line) for line in text.splitlines()]
    blocks = (list(block) for width, block in groupby(rows, key=len) if width)
    return [block for block in blocks if len(block) > 1]


def largest(text: str) -> Grid:
    """Return the largest grid of a text.

    Raises:
        ValueError: there is none.
    """
    return max(grids(text), key=lambda grid: len(grid) * len(grid[0]))


def table(text: str) -> Grid:
    """Return the lines of a text as rows of single characters, filled up with spaces."""
    rows = text.splitlines()
    width = max(map(len, rows))
    return [row.ljust(width) for row in rows]


def turned(grid: Grid) -> list[object]:
    """Return the least of a grid's rotations and mirrors, with numbers for symbols."""
    variants = []
    for _ in range(4):
        grid = list(zip(*grid[::-1], strict=True))
        variants += [grid, [row[::-1] for row in grid]]
    return min([len(g), order_of_appearance(cell for row in g for cell in row)] for g in variants)


def lines(grid: Grid) -> list[list[object]]:
    """Return, for each cell, how often symbols appear in its row, in its column, and its own."""
    rows, columns = map(amounts, grid), list(map(amounts, zip(*grid, strict=True)))
    total = Counter(cell for row in grid for cell in row)
    return sorted(
        [total[cell], *sorted([of_row, of_column])]
        for row, of_row in zip(grid, rows, strict=True)
        for cell, of_column in zip(row, columns, strict=True)
    )


def cells(grid: Grid) -> list[object]:
    """Return how often symbols appear in a grid, and its size."""
    size = sorted([len(grid), len(grid[0])])
    return [*size, amounts(cell for row in grid for cell in row)]


def _symbols(line: str) -> list[str]:
    """Return the symbols of a line; none if it has other words."""
    found = line.translate(_BRACKETS).split()
    return found if all(len(word) == 1 or word.isdigit() for word in found) else []


_BRACKETS = str.maketrans("[],", "   ", ".")
