"""What symmetries leave of numbers, words, patterns and grids."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any

from rgenv.tasks.entry import Entry

Grid = Sequence[Sequence[str]]


def grids(text: str) -> list[Grid]:
    """Return the grids of a text: lines of equal length whose words are symbols or numbers."""
    rows = [_symbols(line) for line in text.splitlines()]
    blocks = (list(block) for width, block in groupby(rows, key=len) if width)
    return [block for block in blocks if len(block) > 1]


def largest_grid(text: str) -> Grid:
    """Return the largest grid of a text; raise ValueError if there is none."""
    return max(grids(text), key=lambda grid: len(grid) * len(grid[0]))


def rows_of_cells(text: str) -> Grid:
    """Return the lines of a text as rows of single characters, filled up with spaces."""
    rows = text.splitlines()
    width = max(map(len, rows))
    return [row.ljust(width) for row in rows]


def turned_and_renamed(grid: Grid) -> list[object]:
    """Return the least of a grid's rotations and mirrors, with numbers for symbols."""
    return min([len(g), order_of_appearance(chain.from_iterable(g))] for g in turns(grid))


def turns(grid: Grid) -> Iterator[Grid]:
    """Yield a grid's rotations and mirrors, with tuples for rows."""
    for _ in range(4):
        grid = list(zip(*grid[::-1], strict=True))
        yield grid
        yield [row[::-1] for row in grid]


def line_amounts(grid: Grid) -> list[list[object]]:
    """Return, for each cell, how often symbols appear in its row, in its column, and its own."""
    rows, columns = map(sorted_amounts, grid), list(map(sorted_amounts, zip(*grid, strict=True)))
    total = Counter(cell for row in grid for cell in row)
    return sorted(
        [total[cell], *sorted([of_row, of_column])]
        for row, of_row in zip(grid, rows, strict=True)
        for cell, of_column in zip(row, columns, strict=True)
    )


def _symbols(line: str) -> list[str]:
    """Return the symbols of a line; none if it has other words."""
    found = line.translate(_BRACKETS).split()
    return found if all(len(word) == 1 or word.isdigit() for word in found) else []


_BRACKETS = str.maketrans("[],", "   ", ".")


def turned_grid(entry: Entry) -> object:
    """Keep the grid; ignore rotations, mirrors, other symbols."""
    return turned_and_renamed(largest_grid(entry["question"]))


def lines_of_grid(entry: Entry) -> object:
    """Keep how often symbols are in rows and columns; ignore rotations, mirrors, order of rows and
    columns, other symbols.
    """
    return line_amounts(largest_grid(entry["question"]))


def matrix_cells(entry: Entry) -> object:
    """Keep the size, and how often each number is in the matrix; ignore order of the cells,
    rotations, mirrors, other digits, operations.
    """
    matrix = entry["metadata"]["matrix"]
    return [*sorted([len(matrix), len(matrix[0])]), sorted_amounts(chain.from_iterable(matrix))]


def last_string(entry: Entry) -> object:
    """Keep the pattern of the string; ignore letters, reading backwards."""
    return letter_pattern(part_of(r": (\w+)\s*\Z", entry))


def letters_after(expression: str) -> Callable[[Entry], object]:
    """Return what keeps the letters of the words that a pattern has as its group."""

    def family(entry: Entry) -> object:
        """Keep the letters of each word; ignore their order, order of the words, small and capital
        letters.
        """
        return sorted("".join(sorted(word)) for word in sorted_words(part_of(expression, entry)))

    return family


def words_after(expression: str) -> Callable[[Entry], object]:
    """Return what keeps the words of the part of the question that a pattern has as its group."""

    def family(entry: Entry) -> object:
        """Keep the words; ignore their order, small and capital letters."""
        return sorted_words(part_of(expression, entry))

    return family


def words_of_answer(entry: Entry) -> object:
    """Keep the words of the answer; ignore pictures of them, their order, small and capital
    letters.
    """
    return sorted_words(entry["answer"])


def sorted_numbers(text: str) -> list[str]:
    """Return the runs of digits, sorted, without leading zeros and without signs."""
    return sorted(digits.lstrip("0") for digits in re.findall("[0-9]+", text))


def sorted_words(text: str) -> list[str]:
    """Return the words, sorted, in small letters."""
    return sorted(re.findall(r"\w+", text.casefold()))


def small_words(text: str) -> list[str]:
    """Return the words that do not begin with a capital letter, sorted: no names."""
    return sorted(re.findall(r"\b[a-z]+\b", text))


def letter_pattern(symbols: Sequence[Any]) -> list[int]:
    """Number symbols in the order in which they appear, forwards or backwards."""
    return min(order_of_appearance(symbols), order_of_appearance(symbols[::-1]))


def order_of_appearance(symbols: Iterable[Any]) -> list[int]:
    """Replace each symbol by its place among the different symbols."""
    places: defaultdict[Any, int] = defaultdict()
    places.default_factory = places.__len__
    return list(map(places.__getitem__, symbols))


def sorted_amounts(symbols: Iterable[Any]) -> list[int]:
    """Return how often each symbol appears, sorted, without the symbols."""
    return sorted(Counter(symbols).values())


def part_of(expression: str, entry: Entry) -> str:
    """Return the last match of an expression's group in the question, or raise ValueError."""
    found: list[str] = re.findall(expression, entry["question"], re.DOTALL | re.MULTILINE)
    if not found:
        raise ValueError(f"the question has no {expression!r}")
    return found[-1]


def question_numbers(entry: Entry) -> object:
    """Keep the numbers of the question; ignore their order, signs, operations, names, wording."""
    return sorted_numbers(entry["question"])
