"""A solver for Latin squares, such as a sudoku or a futoshiki, by the SAT solver pycosat."""

import itertools
from collections.abc import Iterable

import pycosat

from tests.labels.shared import Cell, Verdict


def has_only_solution(
    given: list[list[int]],
    answer: list[list[int]],
    *,
    boxes: Iterable[list[Cell]] = (),
    less: Iterable[tuple[Cell, Cell]] = (),
) -> Verdict:
    """Return whether `answer` is the only solution; None if there are two.

    Each number is once in every row, column and box; 0 stands for a blank. The first cell of each
    pair in `less` holds the smaller number.
    """
    size = len(given)
    places, numbers = range(size), range(1, size + 1)

    def holds(cell: Cell, number: int) -> int:
        return (cell[0] * size + cell[1]) * size + number

    rows = [[(r, c) for c in places] for r in places]
    groups = [*rows, *map(list, zip(*rows, strict=True)), *boxes]
    clauses = [[holds(cell, n) for n in numbers] for row in rows for cell in row]
    clauses += [[holds((r, c), n)] for r, row in enumerate(given) for c, n in enumerate(row) if n]
    for group, n in itertools.product(groups, numbers):
        clauses += [[-holds(a, n), -holds(b, n)] for a, b in itertools.combinations(group, 2)]
    for (small, large), n, m in itertools.product(less, numbers, numbers):
        if n >= m:
            clauses.append([-holds(small, n), -holds(large, m)])
    found = [set(one) for one in itertools.islice(pycosat.itersolve(clauses), 2)]
    boards = [
        [[n for cell in row for n in numbers if holds(cell, n) in true] for row in rows]
        for true in found
    ]
    return None if len(boards) == 2 else boards == [answer]
