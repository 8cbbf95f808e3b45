"""Fill a square with numbers that keep signs of order."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from random import Random
from typing import Any

from rgenv.tasks.answers.grids import digit as digit_
from rgenv.tasks.answers.grids import rows as rows_
from rgenv.tasks.answers.grids import spaced, spaced_forms
from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import plain_signs
from rgenv.tasks.boards import MAX_SIDE, MAX_STEPS, blanks_score
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Answers, Levels, LibraryVerifier, Task
from rgenv.tasks.symmetries import part_of, turned_and_renamed

_SIGNS = str.maketrans("^v⋀⋁", "∧∨∧∨")
_SIGN = re.compile("[<>∧∨]")
_IGNORED = str.maketrans("", "", " \t,|")


def _masks(text: str) -> list[str]:
    """Return the signs of each line, with ``#`` for a digit, without lines that have neither."""
    masks = (re.sub("[0-9]", "#", line.translate(_IGNORED)) for line in text.splitlines())
    return [mask for mask in masks if mask]


class SignedBoard(Answer):
    """A board with all its signs, those within the rows, or none.

    The signs repeat the question, so that an answer may leave them out; but signs that contradict
    the question are another board. What is read gets the layout of the reference answer.
    """

    name = "grid"

    def read(self, text: str, entry: Entry) -> str | None:
        right = str(entry["answer"])
        text = plain_signs(text).translate(_SIGNS)
        if _SIGN.search(text):
            expected = _masks(right)
            if _masks(text) not in (expected, [mask for mask in expected if "#" in mask]):
                return None
            digits = re.findall("[0-9]", text)
        else:
            board = rows_(text, digit_, single=True)
            size = len(entry["metadata"]["solution"])
            if board is None or [len(row) for row in board] != [size] * size:
                return None
            digits = list(chain(*board))
        return "".join(digits.pop(0) if sign.isdigit() else sign for sign in right)

    def forms(self, reference: str, question: str) -> Forms:
        lines = reference.split("\n")
        board = [re.findall(r"\d", line) for line in lines if re.search(r"\d", line)]
        numbers = spaced_forms(spaced(board))
        forms = {f"numbers alone, {name}": text for name, text in numbers.items()}
        return forms | {
            "no space at line ends": "\n".join(line.rstrip() for line in lines),
            "CRLF": "\r\n".join(lines),
        }

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        place = rng.choice([match.start() for match in re.finditer(r"\d", reference)])
        value = rng.choice([digit for digit in "123456789" if digit != reference[place]])
        return {"digit": reference[:place] + value + reference[place + 1 :]}


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the blanks are right.

    The library gives 0.40 to the puzzle with a 1 in each blank.
    """
    if re.sub(r"\d", "#", answer) != re.sub(r"\d", "#", str(entry["answer"])):
        return 0.0
    return blanks_score(answer, entry)


def shortcuts(question: str) -> Answers:
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


def family(entry: Entry) -> object:
    """Keep the given numbers, and how many constraints there are; ignore rotations, mirrors, other
    digits, places of the constraints.
    """
    text = part_of(r"puzzle:\n\n(.*?)\n\nEnsure", entry)
    rows = [re.findall(r"\d+|_", line) for line in text.splitlines()]
    return turned_and_renamed([row for row in rows if row]), len(re.findall("[<>∧∨]", text))


Board = list[list[int]]
Cell = tuple[int, int]


# futoshiki.


def futoshiki_random_solution(_self: Any, size: int, rng: Random) -> Board:
    """Return a random latin square. Each row is the first permutation of a shuffled row that fits.

    Raises:
        ValueError: no row fits, as in the library.
    """
    grid: Board = []

    def fill() -> bool:
        if len(grid) == size:
            return True
        numbers = list(range(1, size + 1))
        rng.shuffle(numbers)
        taken = [{row[c] for row in grid} for c in range(size)]
        for row in _rows(numbers, taken, []):
            grid.append(row)
            if fill():
                return True
            grid.pop()
        return False

    if not fill():
        raise ValueError("Could not generate a random solution.")
    return grid


def _rows(numbers: list[int], taken: list[set[int]], prefix: list[int]) -> Iterator[list[int]]:
    """Yield the permutations of `numbers` after `prefix` that use no number taken in its column.

    Their order is that of itertools.permutations.
    """
    if len(prefix) == len(taken):
        yield prefix
        return
    for number in numbers:
        if number not in taken[len(prefix)]:
            rest = [other for other in numbers if other != number]
            yield from _rows(rest, taken, [*prefix, number])


def futoshiki_count_solutions(
    _self: Any, grid: Board, constraints: Mapping[tuple[Cell, Cell], str], limit: int = 2
) -> int:
    """Count the ways to fill the empty cells, up to `limit`."""
    empty = [(r, c) for r, row in enumerate(grid) for c, value in enumerate(row) if not value]
    smaller = [pair if sign == "<" else pair[::-1] for pair, sign in constraints.items()]
    known = [(grid[a][b], grid[c][d]) for (a, b), (c, d) in smaller]
    if any(less and more and less >= more for less, more in known):
        return 0 if empty else 1
    return _SolutionCounter(grid, smaller).count(empty, limit)


class _SolutionCounter:
    """Tries values in `grid` and restores it. Sets of values are the bits of an integer.

    Args:
        grid: the board, with 0 for an empty cell.
        smaller: pairs of cells, the first of which holds the smaller value.
    """

    def __init__(self, grid: Board, smaller: Sequence[tuple[Cell, Cell]]) -> None:
        self._grid = grid
        self._rows = [sum({1 << value for value in row if value}) for row in grid]
        columns = zip(*grid, strict=True)
        self._columns = [sum({1 << value for value in column if value}) for column in columns]
        self._larger: dict[Cell, list[Cell]] = {}
        self._smaller: dict[Cell, list[Cell]] = {}
        for less, more in smaller:
            self._larger.setdefault(less, []).append(more)
            self._smaller.setdefault(more, []).append(less)

    def count(self, empty: Sequence[Cell], limit: int) -> int:
        """Count the ways to fill the cells `empty`, up to `limit`; the most constrained first."""
        if not empty:
            return 1
        _, cell = min((self._candidates(cell).bit_count(), cell) for cell in empty)
        rest = [other for other in empty if other != cell]
        values, found = self._candidates(cell), 0
        while values and found < limit:
            bit = values & -values
            values ^= bit
            self._toggle(cell, bit)
            self._grid[cell[0]][cell[1]] = bit.bit_length() - 1
            found += self.count(rest, limit - found)
            self._toggle(cell, bit)
            self._grid[cell[0]][cell[1]] = 0
        return found

    def _toggle(self, cell: Cell, bit: int) -> None:
        self._rows[cell[0]] ^= bit
        self._columns[cell[1]] ^= bit

    def _candidates(self, cell: Cell) -> int:
        """Return the set of values that `cell` can take."""
        r, c = cell
        values: int = ((2 << len(self._grid)) - 2) & ~(self._rows[r] | self._columns[c])
        for x, y in self._larger.get(cell, ()):
            if self._grid[x][y]:
                values &= (1 << self._grid[x][y]) - 1
        for x, y in self._smaller.get(cell, ()):
            values &= -2 << self._grid[x][y]
        return values


TASK = Task(
    answer=SignedBoard(),
    verify=verify,
    shortcuts=shortcuts,
    family=family,
    slow=True,
    # From size 8 on, some boards take seconds.
    levels=Levels(
        knots={
            "min_board_size": [4, 4, 5, 6, 7],
            "max_board_size": [4, 5, 6, 7, 7],
            "min_difficulty": [0, 0, 1, 1, 2],
            "max_difficulty": [1, 1, 2, 2, 3],
        }
    ),
    faster={
        "games.futoshiki:FutoshikiDataset:_generate_random_solution": futoshiki_random_solution,
        "games.futoshiki:FutoshikiDataset:count_solutions": futoshiki_count_solutions,
    },
)
