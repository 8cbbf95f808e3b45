"""Helpers of the checks: searching text, exact arithmetic, and grids."""

import re
from collections import deque
from collections.abc import Iterable
from fractions import Fraction

import sympy

Verdict = bool | None
"""True: the reference answer is right. False: it is wrong. None: the check cannot decide."""

Cell = tuple[int, int]
"""Row and column, from 0."""
Grid = list[list[str]]

STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def find(pattern: str, text: str, flags: int = 0) -> re.Match[str]:
    """Return the first match of a pattern; ValueError: the question is not understood."""
    match = re.search(pattern, text, flags)
    if match is None:
        raise ValueError(f"no {pattern!r} in {text!r}")
    return match


def integers(text: str) -> list[int]:
    """Return the integers in a text, with their signs."""
    return [int(number) for number in re.findall(r"-?\d+", text)]


def naturals(text: str) -> list[int]:
    """Return the runs of digits in a text, without signs."""
    return [int(number) for number in re.findall(r"\d+", text)]


def last_line(question: str) -> str:
    return question.rstrip().split("\n")[-1]


_NUMBER = re.compile(r"\d+\.?\d*(?:e-?\d+)?")


def value(text: str) -> Fraction:
    """Return the value of an expression of numbers; ZeroDivisionError: it divides by zero."""
    found = eval(_NUMBER.sub(r"Fraction('\g<0>')", text.strip()), {"Fraction": Fraction})
    return Fraction(found)


def polynomial(text: str, names: Iterable[str]) -> sympy.Poly:
    """Return an expression of numbers and the variables `names`, multiplied out."""
    symbols = {name: sympy.Symbol(name) for name in names}
    exact = _NUMBER.sub(r"Rational('\g<0>')", text.strip())
    found = eval(exact, {"Rational": sympy.Rational, **symbols})
    return sympy.Poly(found, *symbols.values(), domain="QQ")


def grid_at_end(text: str) -> Grid:
    """Return the cells of the last block of lines whose cells are separated by spaces."""
    rows: Grid = []
    for line in reversed(text.rstrip().split("\n")):
        cells = line.split()
        if (
            not cells
            or any(len(cell) > 4 for cell in cells)
            or (rows and len(cells) != len(rows[0]))
        ):
            break
        rows.insert(0, cells)
    return rows


def cells_of(grid: Iterable[Iterable[str]], values: str) -> list[Cell]:
    """Return the cells that hold one of the characters in `values`."""
    return [(r, c) for r, row in enumerate(grid) for c, cell in enumerate(row) if cell in values]


def neighbours(cell: Cell) -> list[Cell]:
    """Return the four cells beside a cell, inside the grid or not."""
    return [(cell[0] + down, cell[1] + right) for down, right in STEPS.values()]


def distances(open_cells: set[Cell], starts: Iterable[Cell]) -> dict[Cell, int]:
    """Return the steps from the nearest start to each open cell that can be reached."""
    found = dict.fromkeys(starts, 0)
    queue = deque(found)
    while queue:
        here = queue.popleft()
        for cell in neighbours(here):
            if cell in open_cells and cell not in found:
                found[cell] = found[here] + 1
                queue.append(cell)
    return found
