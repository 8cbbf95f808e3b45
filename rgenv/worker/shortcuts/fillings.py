"""Rules that fill the blanks of a puzzle in one pass, or with half of its conditions in mind.

A rule that never takes back what it wrote is a shortcut, and so is a search that looks at the rows
alone. A search that minds all conditions is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations, product
from types import MappingProxyType

from rgenv.worker.shortcuts.text import ints, transposed, written

Answers = dict[str, str]
Cell = tuple[int, int]

MAX_SIDE = 15
"""Rows of the largest board that is filled."""
MAX_STEPS = 1000
"""Steps of a search, after which it gives up."""

# --- futoshiki ----------------------------------------------------------------------------------


def futoshiki(question: str) -> Answers:
    """Complete rows and columns so that no number is there twice, whatever the signs."""
    lines = question.split("puzzle:\n\n", 1)[1].split("\n\nEnsure", 1)[0].split("\n")
    rows = [[int(cell.replace("_", "0")) for cell in re.findall(r"[_\d]", x)] for x in lines[::2]]
    if len(rows) > MAX_SIDE or any(len(row) != len(rows) for row in rows):
        return {}
    answers = {}
    for name, values in (
        ("the first numbers that fit", range(1, len(rows) + 1)),  # .70
        ("the last numbers that fit", range(len(rows), 0, -1)),  # .67
    ):
        if filled := _latin_square(rows, values):
            answers[name] = "\n".join(
                line if place % 2 else _filled_in(line, filled[place // 2])
                for place, line in enumerate(lines)
            )
    return answers


def _latin_square(rows: Sequence[Sequence[int]], values: Sequence[int]) -> list[list[int]] | None:
    """Return the first completion in which rows and columns hold each value once, if found."""
    filled = [list(row) for row in rows]
    blanks = [(y, x) for y, row in enumerate(rows) for x, cell in enumerate(row) if not cell]
    in_row = [sum(1 << cell for cell in row if cell) for row in rows]
    in_column = [sum(1 << cell for cell in row if cell) for row in zip(*rows, strict=True)]
    tried: list[Iterator[int]] = [iter(values)]
    for _ in range(MAX_STEPS):
        if not tried or len(tried) > len(blanks):
            return filled if tried else None
        y, x = blanks[len(tried) - 1]
        in_row[y] &= ~(1 << filled[y][x])
        in_column[x] &= ~(1 << filled[y][x])
        taken = in_row[y] | in_column[x]
        filled[y][x] = value = next((v for v in tried[-1] if not taken >> v & 1), 0)
        if not value:
            tried.pop()
            continue
        in_row[y] |= 1 << value
        in_column[x] |= 1 << value
        tried.append(iter(values))
    return None


def _filled_in(line: str, cells: Sequence[int]) -> str:
    remaining = iter(cells)
    return re.sub(r"[_\d]", lambda _: str(next(remaining)), line)


# --- kakurasu -----------------------------------------------------------------------------------


def kakurasu(question: str) -> Answers:
    """Fill rows in turn with the first cells that fit, or fill cells from a corner."""
    rows, columns = [ints(part) for part in re.findall(r"\[([\d, ]+)\]", question)[:2]]
    if max(len(rows), len(columns)) > MAX_SIDE:
        return {}
    answers = {}
    for first in ("smallest", "largest"):  # .16 .10, by column .14 .09
        by_row = _fitted(rows, columns, first == "largest")
        by_column = transposed(_fitted(columns, rows, first == "largest"))
        answers[f"row by row, {first} weight first, with the rest in mind"] = written(by_row)
        answers[f"column by column, {first} weight first, with the rest in mind"] = written(
            by_column
        )
    for value, down, right in (
        (1, -1, -1),  # .49
        (1, -1, 1),  # .09
        (1, 1, -1),  # .09
        (0, -1, 1),  # .12
        (0, 1, -1),  # .10
    ):
        corner = f"{'upper' if down > 0 else 'lower'} {'left' if right > 0 else 'right'}"
        answers[f"{value} where it fits, from the {corner}"] = written(
            _where_it_fits(rows, columns, down, right, value)
        )
    return answers


def _where_it_fits(
    rows: Sequence[int], columns: Sequence[int], down: int, right: int, value: int
) -> list[list[str]]:
    """Return a board with `value` in each cell where its row and column allow it, cell by cell.

    They allow a 1 if it is not more than what they lack, and a 0 if what follows can be enough.
    """
    height, width = len(rows), len(columns)
    # For zeros, count down what a board of ones has too much.
    surplus = value == 0
    left = [width * (width + 1) // 2 - total if surplus else total for total in rows]
    below = [height * (height + 1) // 2 - total if surplus else total for total in columns]
    board = [[str(1 - value)] * width for _ in rows]
    for y, x in product(range(height)[::down], range(width)[::right]):
        if left[y] > x and below[x] > y:
            board[y][x] = str(value)
            left[y] -= x + 1
            below[x] -= y + 1
    return board


def _fitted(totals: Sequence[int], others: Sequence[int], largest_first: bool) -> list[list[str]]:
    """Return rows that have their totals and leave enough to no column: the first that fit."""
    left, filled = list(others), []
    for weight, total in enumerate(totals, 1):
        choices = _cells_with_sum(len(others)).get(total, [()])
        fitting = [cells for cells in choices if all(left[x] >= weight for x in cells)] or choices
        cells = fitting[-1 if largest_first else 0]
        for x in cells:
            left[x] -= weight
        filled.append(["1" if x in cells else "0" for x in range(len(others))])
    return filled


@cache
def _cells_with_sum(width: int) -> Mapping[int, Sequence[Sequence[int]]]:
    """Return the choices of cells in a row by the sum of their weights, small weights first."""
    found: dict[int, list[list[int]]] = {}
    for choice in product((1, 0), repeat=width) if width <= 10 else ():
        cells = [x for x, chosen in enumerate(choice) if chosen]
        found.setdefault(sum(cells) + len(cells), []).append(cells)
    return found


# --- n_queens -----------------------------------------------------------------------------------


def n_queens(question: str) -> Answers:
    """Put a queen into each row at the first square that is free, or on a line through all."""
    size = int(re.findall(r"size (\d+) x", question)[0])
    rows = [line.split() for line in question.split("\n") if re.fullmatch(r"[Q_ ]+", line)]
    if size > MAX_SIDE or len(rows) != size or any(len(row) != size for row in rows):
        return {}
    answers = {
        "the row with the fewest squares first": _board(_tightest_first(rows)),  # .75
        "a line through all, modulo the size and 1": _board(_line(rows, size + 1)),  # .11
    }
    for down, right in product((1, -1), repeat=2):  # .59 .52 .58 .54
        turned = [row[::right] for row in rows[::down]]
        name = f"from the {'upper' if down > 0 else 'lower'} {'left' if right > 0 else 'right'}"
        answers[name] = written([row[::right] for row in _queens(turned)[::down]])
    return answers


def _line(rows: Sequence[Sequence[str]], modulus: int) -> list[int]:
    """Return columns that grow by the same step from row to row, the first that have all queens."""
    queens = [(y, row.index("Q")) for y, row in enumerate(rows) if "Q" in row]
    for step in range(2, modulus - 1):
        starts = {(x - step * y) % modulus for y, x in queens}
        if len(starts) == 1:
            return [(starts.copy().pop() + step * y) % modulus for y in range(len(rows))]
    return []


def _queens(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return a board with a queen in the first square of each row that no other one attacks."""
    queens = [(y, row.index("Q")) for y, row in enumerate(rows) if "Q" in row]
    filled = [list(row) for row in rows]
    for y, row in enumerate(filled):
        for x in range(len(row)) if "Q" not in row else ():
            if not any(x == v or abs(x - v) == abs(y - u) for u, v in queens):
                row[x] = "Q"
                queens.append((y, x))
                break
    return filled


def _tightest_first(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns of queens, each put into the row that has the fewest squares left."""
    queens = {y: row.index("Q") for y, row in enumerate(rows) if "Q" in row}
    while len(queens) < len(rows):
        free = {
            y: [
                x
                for x in range(len(rows))
                if all(x != v and abs(x - v) != abs(y - u) for u, v in queens.items())
            ]
            for y in range(len(rows))
            if y not in queens
        }
        y = min(free, key=lambda row: len(free[row]))
        queens[y] = free[y][0] if free[y] else -1
    return [queens[y] for y in range(len(rows))]


def _board(queens: Sequence[int]) -> str:
    return written([["Q" if x == queen else "_" for x in range(len(queens))] for queen in queens])


# --- survo --------------------------------------------------------------------------------------

ORDERS: Mapping[str, Callable[[list[list[int]], Cell], tuple[int, ...]]] = MappingProxyType(
    {
        "row by row": lambda rows, cell: cell,  # .48
        "from the end": lambda rows, cell: (-cell[0], -cell[1]),  # .53
        "column by column": lambda rows, cell: cell[::-1],  # .49
        "where fewest are blank": lambda rows, cell: (  # .52
            min(rows[cell[0]].count(0), [row[cell[1]] for row in rows].count(0)),
        ),
    }
)
"""Name -> the blank with the least key is filled next."""


def survo(question: str) -> Answers:
    """Put the number nearest to the mean of what is missing, or mind the sums of rows alone."""
    shown = [line for line in question.split("\n") if re.fullmatch(r"[-\d ]+", line)]
    rows = [[int(cell) for cell in line.split()] for line in shown]
    numbers = ints(question[question.rindex("[") :].split("]", 1)[0])
    if len(rows) > MAX_SIDE or any(len(row) != len(rows) for row in rows):
        return {}
    answers = {f"the nearest, {name}": _nearest(rows, numbers, name) for name in ORDERS}
    columns = [list(column) for column in zip(*rows, strict=True)]
    for name, order in (
        ("", numbers),  # .38, columns .36
        (", small ones first", sorted(numbers)),  # .39 .35
        (", large ones first", sorted(numbers, reverse=True)),  # .37 .38
    ):
        if filled := _with_row_sums(rows, order):
            answers[f"rows alone{name}"] = written(filled)
        if filled := _with_row_sums(columns, order):
            answers[f"columns alone{name}"] = written(zip(*filled, strict=True))
    return answers


def _nearest(rows: Sequence[Sequence[int]], numbers: Sequence[int], order: str) -> str:
    filled, left = [list(row) for row in rows], list(numbers)
    blanks = [(y, x) for y, row in enumerate(rows) for x, cell in enumerate(row) if not cell]
    while blanks and left:
        y, x = min(blanks, key=lambda cell: ORDERS[order](filled, cell))
        blanks.remove((y, x))
        lines = (filled[y], [row[x] for row in filled])
        mean = sum((line[-1] - sum(line[:-1])) / line.count(0) for line in lines) / 2
        filled[y][x] = min(left, key=lambda number: abs(number - mean))
        left.remove(filled[y][x])
    return written(filled)


def _with_row_sums(rows: Sequence[Sequence[int]], numbers: Sequence[int]) -> list[list[int]] | None:
    """Return the first filling that gives each row its sum; None if none is found in time."""
    filled = [list(row) for row in rows]
    steps = iter(range(MAX_STEPS))

    def fill(y: int, left: Sequence[int]) -> bool:
        if y == len(rows) - 1:
            return True
        blanks = [x for x, cell in enumerate(rows[y]) if not cell]
        for places in permutations(range(len(left)), len(blanks)):
            next(steps)
            if sum(rows[y][:-1]) + sum(left[place] for place in places) == rows[y][-1]:
                for x, place in zip(blanks, places, strict=True):
                    filled[y][x] = left[place]
                if fill(y + 1, [v for place, v in enumerate(left) if place not in places]):
                    return True
        return False

    try:
        return filled if fill(0, numbers) else None
    except StopIteration:
        return None


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {"futoshiki": futoshiki, "kakurasu": kakurasu, "n_queens": n_queens, "survo": survo}
)
