"""Fill a square with numbers that keep signs of order."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from rgenv.tasks import Answer, Answers, Entry, LibraryVerifier, Task, moving
from rgenv.tasks.answers.grids import digit, rows
from rgenv.tasks.answers.notation import plain_signs
from rgenv.tasks.boards import MAX_SIDE, MAX_STEPS, Board, Cell, filled_blanks
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


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the blanks are right.

    The library gives 0.40 to the puzzle with a 1 in each blank.
    """
    if re.sub(r"\d", "#", answer) != re.sub(r"\d", "#", str(entry["answer"])):
        return 0.0
    return filled_blanks(answer, entry, library)


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
    orders = {"first": numbers, "last": numbers[::-1]}  # .47 .57
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

    As in the library, a ValueError says that no row fits.
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

    They come in the order of itertools.permutations.
    """
    if len(prefix) == len(taken):
        yield prefix
        return
    for number in numbers:
        if number not in taken[len(prefix)]:
            rest = [other for other in numbers if other != number]
            yield from _rows(rest, taken, [*prefix, number])


def without_clues(
    self: Any, grid: Board, constraints: Mapping[tuple[Cell, Cell], str], rng: random.Random
) -> Board:
    """Blank cells of a solution as long as no other one is possible and the library finds it.

    The library's solver misses some solutions, so what it needs has to stay.
    """
    size = len(grid)
    cells = [(r, c) for r in range(size) for c in range(size)]
    solver, needed = _Solver(size, constraints), set[Cell]()
    left, target = len(cells), len(cells) // 10
    for _ in range(2):
        rng.shuffle(cells)
        for r, c in cells:
            value = grid[r][c]
            if left <= target or not value or (r, c) in needed:
                continue
            if solver.may_be_other([*chain(*grid)], r * size + c):
                needed.add((r, c))  # the other solution is possible with fewer clues, too
                continue
            grid[r][c] = 0
            if self._solve(grid, constraints):
                left -= 1
            else:
                grid[r][c] = value
        if left <= 2 * target:
            break
    return grid


class _Solver:
    """Says whether a puzzle has another solution. Candidates are bits of an integer."""

    def __init__(self, size: int, constraints: Mapping[tuple[Cell, Cell], str]) -> None:
        self._all = (2 << size) - 2
        self._peers = _peers(size)
        self._above: list[list[int]] = [[] for _ in self._peers]
        self._below: list[list[int]] = [[] for _ in self._peers]
        for ((a, b), (c, d)), sign in constraints.items():
            pair = a * size + b, c * size + d
            less, more = pair if sign == "<" else pair[::-1]
            self._above[less].append(more)
            self._below[more].append(less)

    def may_be_other(self, values: Sequence[int], shown: int) -> bool:
        """Return whether a cell that is shown and all blanks, which are 0, can be others."""
        candidates = [1 << value if value else self._all for value in values]
        candidates[shown] ^= self._all
        known = [cell for cell, value in enumerate(values) if value and cell != shown]
        return self._can_fill(candidates, known)

    def _can_fill(self, candidates: list[int], found: list[int]) -> bool:
        """Return whether each cell can have a candidate; `found`: which just got one."""
        while found:
            cell = found.pop()
            bit = candidates[cell]
            for others, mask in (
                (self._peers[cell], ~bit),
                (self._above[cell], -bit << 1),
                (self._below[cell], bit - 1),
            ):
                for other in others:
                    left = candidates[other] & mask
                    if left != candidates[other]:
                        if not left:
                            return False
                        candidates[other] = left
                        if not left & (left - 1):
                            found.append(other)
        undecided = [cell for cell, left in enumerate(candidates) if left & (left - 1)]
        if not undecided:
            return True
        cell = min(undecided, key=lambda cell: candidates[cell].bit_count())
        bits = candidates[cell]
        while bits:
            tried = candidates.copy()
            tried[cell] = bits & -bits
            if self._can_fill(tried, [cell]):
                return True
            bits &= bits - 1
        return False


@cache
def _peers(size: int) -> list[list[int]]:
    """Return the other cells of the row and the column of each cell."""
    cells = range(size * size)
    return [
        [other for other in cells if (other // size == r) != (other % size == c)]
        for r, c in (divmod(cell, size) for cell in cells)
    ]


TASK = Task(
    answer=SignedBoard(),
    verify=verify,
    shortcuts=shortcuts,
    family=family,
    levels=moving(
        board_size=[(4, 4), (4, 5), (5, 6), (6, 7), (7, 8)],
        difficulty=[(1, 1), (1, 2), (1, 2), (1, 3), (2, 3)],
    ),
    faster={
        "games.futoshiki:FutoshikiDataset:_generate_random_solution": random_solution,
        "games.futoshiki:FutoshikiDataset:_remove_clues": without_clues,
    },
)
