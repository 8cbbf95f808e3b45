"""Work of puzzles on boards: the values that remain possible, or the nodes of a search."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from rgenv.tasks.entry import Entry

Board = Sequence[Sequence[int]]


def candidates(puzzle: Board, box: int = 1) -> int:
    """Count the values that row, column and box leave open, over all empty cells.

    Args:
        puzzle: a square board of the numbers 1 to its size, with 0 for an empty cell.
        box: the side of the boxes that hold each number once; 1 for none.
    """
    size, count = len(puzzle), 0
    for r in range(size):
        for c in range(size):
            if not puzzle[r][c]:
                top, left = r // box * box, c // box * box
                seen = {*puzzle[r], *(row[c] for row in puzzle)}
                seen |= {v for row in puzzle[top : top + box] for v in row[left : left + box]}
                count += size - len(seen - {0})
    return count


def sudoku(entry: Entry) -> float:
    """Count the values that are possible at first."""
    return float(candidates(entry["metadata"]["puzzle"], box=3))


def futoshiki(entry: Entry) -> float:
    """Count the values that rows and columns leave possible at first."""
    return float(candidates(entry["metadata"]["puzzle"]))


def kakurasu(entry: Entry) -> float:
    """Count the ways to fill each row and each column."""
    metadata = entry["metadata"]
    return float(
        sum(subsets(metadata["n_cols"], total) for total in metadata["row_sums"])
        + sum(subsets(metadata["n_rows"], total) for total in metadata["col_sums"])
    )


def subsets(size: int, total: int) -> int:
    """Count the sets of different numbers from 1 to `size` that have this sum."""
    ways = Counter({0: 1})
    for number in range(1, size + 1):
        for part, count in list(ways.items()):
            ways[part + number] += count
    return ways[total]


def survo(entry: Entry) -> float:
    """Count the numbers that are possible at first, over all empty cells."""
    puzzle, numbers = entry["metadata"]["puzzle"], set(entry["metadata"]["candidate_numbers"])
    empty = sum(row.count(0) for row in puzzle)
    return float(empty * len(numbers))


def n_queens(entry: Entry) -> float:
    """Count the squares that a search row by row tries until it has a solution, in doublings.

    The searches on one size of board differ a hundredfold.
    """
    puzzle = entry["metadata"]["puzzle"]
    size = len(puzzle)
    given = {r: row.index("Q") for r, row in enumerate(puzzle) if "Q" in row}
    free = [r for r in range(size) if r not in given]
    tried = 0

    def place(queens: dict[int, int], rows: list[int]) -> bool:
        nonlocal tried
        if not rows:
            return True
        row = rows[0]
        for column in range(size):
            tried += 1
            safe = all(
                column != other and abs(column - other) != abs(row - r)
                for r, other in queens.items()
            )
            if safe and place({**queens, row: column}, rows[1:]):
                return True
        return False

    place(given, free)
    return math.log2(1 + tried)


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "futoshiki": futoshiki,
    "kakurasu": kakurasu,
    "n_queens": n_queens,
    "sudoku": sudoku,
    "survo": survo,
}
