"""Fill a square with numbers that keep signs of order."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from rgenv.tasks import Answer, Answers, Entry, Forms, Levels, LibraryVerifier, Task, spans
from rgenv.tasks.answers.grids import digit, rows, spaced, spaced_forms
from rgenv.tasks.answers.notation import plain_signs
from rgenv.tasks.boards import MAX_SIDE, MAX_STEPS, Board, Cell, blanks_score
from rgenv.tasks.symmetries import turned_and_renamed

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
            board = rows(text, digit, single=True)
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
        value = rng.choice([other for other in "123456789" if other != reference[place]])
        return {"digit": reference[:place] + value + reference[place + 1 :]}


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the blanks are right.

    The library gives 0.40 to the puzzle with a 1 in each blank.
    """
    if re.sub(r"\d", "#", answer) != re.sub(r"\d", "#", str(entry["answer"])):
        return 0.0
    return blanks_score(answer, entry)


def _shown(question: str) -> list[str]:
    """Return the lines of the board; every other one has signs only."""
    return question.split("puzzle:\n\n", 1)[1].split("\n\nEnsure", 1)[0].split("\n")


def shortcuts(question: str) -> Answers:
    """Complete rows and columns so that no number is there twice, whatever the signs."""
    lines = _shown(question)
    shown = [[int(cell.replace("_", "0")) for cell in re.findall(r"[_\d]", x)] for x in lines[::2]]
    if len(shown) > MAX_SIDE or any(len(row) != len(shown) for row in shown):
        return {}
    numbers = range(1, len(shown) + 1)
    orders = {"first": numbers, "last": numbers[::-1]}  # .70 .67
    boards = {name: _latin_square(shown, order) for name, order in orders.items()}
    return {
        f"the {name} numbers that fit": _filled_in("\n".join(lines), chain(*board))
        for name, board in boards.items()
        if board
    }


def _latin_square(rows: Board, values: Sequence[int]) -> Board | None:
    """Return the first completion in which rows and columns hold each value once, if found."""
    filled = [list(row) for row in rows]
    blanks = [(y, x) for y, row in enumerate(rows) for x, cell in enumerate(row) if not cell]
    steps = iter(range(MAX_STEPS))

    def fill(place: int) -> bool:
        if place < len(blanks):
            y, x = blanks[place]
            for value in values:
                if value not in filled[y] and all(row[x] != value for row in filled):
                    next(steps)
                    filled[y][x] = value
                    if fill(place + 1):
                        return True
                    filled[y][x] = 0
        next(steps)
        return place == len(blanks)

    try:
        return filled if fill(0) else None
    except StopIteration:
        return None


def _filled_in(text: str, cells: Iterator[int]) -> str:
    return re.sub(r"[_\d]", lambda _: str(next(cells)), text)


def family(entry: Entry) -> object:
    """Keep the given numbers up to symmetries, and how many signs there are."""
    lines = _shown(entry["question"])
    rows = [cells for line in lines if (cells := re.findall(r"\d+|_", line))]
    return turned_and_renamed(rows), len(_SIGN.findall("".join(lines)))


def random_solution(_self: Any, size: int, rng: random.Random) -> Board:
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


def count_solutions(
    _self: Any, grid: Board, constraints: Mapping[tuple[Cell, Cell], str], limit: int = 2
) -> int:
    """Count the ways to fill the empty cells, up to `limit`; `grid` is as before afterwards."""
    size = len(grid)
    empty = [(r, c) for r, row in enumerate(grid) for c, value in enumerate(row) if not value]
    below: dict[Cell, list[Cell]] = {(r, c): [] for r in range(size) for c in range(size)}
    above: dict[Cell, list[Cell]] = {cell: [] for cell in below}
    for pair, sign in constraints.items():
        (a, b), (c, d) = less, more = pair if sign == "<" else pair[::-1]
        if grid[a][b] and grid[c][d] and grid[a][b] >= grid[c][d]:
            return 0 if empty else 1
        above[less].append(more)
        below[more].append(less)
    # Sets of values are the bits of an integer.
    in_row, in_column = (
        [sum({1 << value for value in line if value}) for line in lines]
        for lines in (grid, zip(*grid, strict=True))
    )

    def candidates(cell: Cell) -> int:
        r, c = cell
        values: int = ((2 << size) - 2) & ~(in_row[r] | in_column[c])
        for x, y in above[cell]:
            if grid[x][y]:
                values &= (1 << grid[x][y]) - 1
        for x, y in below[cell]:
            values &= -2 << grid[x][y]
        return values

    def count(empty: Sequence[Cell], limit: int) -> int:
        """Fill the most constrained cell first."""
        if not empty:
            return 1
        _, cell = min((candidates(cell).bit_count(), cell) for cell in empty)
        rest = [other for other in empty if other != cell]
        r, c = cell
        values, found = candidates(cell), 0
        while values and found < limit:
            bit = values & -values
            values ^= bit
            in_row[r] ^= bit
            in_column[c] ^= bit
            grid[r][c] = bit.bit_length() - 1
            found += count(rest, limit - found)
            in_row[r] ^= bit
            in_column[c] ^= bit
            grid[r][c] = 0
        return found

    return count(empty, limit)


TASK = Task(
    answer=SignedBoard(),
    verify=verify,
    shortcuts=shortcuts,
    family=family,
    slow=True,
    # From size 8 on, some boards take seconds.
    levels=Levels(
        knots=spans(
            board_size=[(4, 4), (4, 5), (5, 6), (6, 7), (7, 7)],
            difficulty=[(0, 1), (0, 1), (1, 2), (1, 2), (2, 3)],
        )
    ),
    faster={
        "games.futoshiki:FutoshikiDataset:_generate_random_solution": random_solution,
        "games.futoshiki:FutoshikiDataset:count_solutions": count_solutions,
    },
)
