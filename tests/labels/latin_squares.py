"""A solver for Latin squares, such as a sudoku or a futoshiki."""

from __future__ import annotations

from dataclasses import dataclass

from tests.labels.shared import Cell, Verdict

MAX_STEPS = 3_000
"""Positions to look at before a search is given up."""

Options = dict[Cell, set[int]]
"""The numbers that each cell can still hold."""


@dataclass
class Square:
    """A puzzle in which each number occurs once in every row and column.

    Args:
        given: the numbers of the puzzle, 0 for a blank.
        boxes: further groups of cells in which each number occurs once.
        less: pairs of cells, of which the first holds the smaller number.
    """

    given: list[list[int]]
    boxes: list[list[Cell]]
    less: list[tuple[Cell, Cell]]

    def __post_init__(self) -> None:
        size = range(len(self.given))
        rows = [[(r, c) for c in size] for r in size]
        columns = [[(r, c) for r in size] for c in size]
        self.groups = [*rows, *columns, *self.boxes]


def has_only_solution(square: Square, answer: list[list[int]]) -> Verdict:
    """Return whether `answer` is the only solution."""
    size = len(square.given)
    options = {
        (r, c): {number} if number else set(range(1, size + 1))
        for r, row in enumerate(square.given)
        for c, number in enumerate(row)
    }
    search = _Search(square)
    try:
        search.run(options)
    except OverflowError:
        return None
    if len(search.found) == 1:
        return search.found == [answer]
    return None if answer in search.found else False


class _Search:
    """A search for up to two solutions, kept in `found`."""

    def __init__(self, square: Square) -> None:
        self.found: list[list[list[int]]] = []
        self._square = square
        self._steps = 0

    def run(self, options: Options) -> None:
        """Add the solutions within `options`, which changes; raise OverflowError if too long."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise OverflowError
        if not _narrow(options, self._square):
            return
        open_cells = [cell for cell, numbers in options.items() if len(numbers) > 1]
        if not open_cells:
            size = range(len(self._square.given))
            self.found.append([[min(options[r, c]) for c in size] for r in size])
            return
        cell = min(open_cells, key=lambda cell: len(options[cell]))
        for number in sorted(options[cell]):
            if len(self.found) < 2:
                tried = {other: set(numbers) for other, numbers in options.items()}
                tried[cell] = {number}
                self.run(tried)


def _narrow(options: Options, square: Square) -> bool:
    """Remove the numbers that a rule excludes; return False if a cell has none left."""
    before = -1
    while before != (before := sum(map(len, options.values()))):
        if not all(_narrow_group(options, group) for group in square.groups):
            return False
        for small, large in square.less:
            options[small] = {n for n in options[small] if n < max(options[large], default=0)}
            options[large] = {n for n in options[large] if n > min(options[small], default=99)}
    return all(options.values())


def _narrow_group(options: Options, group: list[Cell]) -> bool:
    """Apply that each number occurs once in a group; return False if one has no place left."""
    for cell in group:
        if len(options[cell]) == 1:
            for other in group:
                if other != cell:
                    options[other] -= options[cell]
    for number in range(1, len(group) + 1):
        places = [cell for cell in group if number in options[cell]]
        if not places:
            return False
        if len(places) == 1:
            options[places[0]] = {number}
    return True
