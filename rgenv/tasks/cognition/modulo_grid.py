"""Find the arithmetic behind a grid of signs, and fill it."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from random import Random

from rgenv.tasks import Answer, Entry, Forms, Task, changed, moving, random_of
from rgenv.tasks.answers.grids import read_grid
from rgenv.tasks.answers.lists import matching
from rgenv.tasks.symmetries import turned_and_renamed

_read_mark = matching("[✅❌]")


class Marks(Answer):
    """Rows of ✅ and ❌ in any form of a grid.

    The invisible characters that ask for a coloured form of an emoji say nothing.
    """

    name = "grid"

    def read(self, text: str, entry: Entry) -> str | None:
        return read_grid(text.replace("\ufe0f", ""), _read_mark, single=True, between="")

    def forms(self, reference: str, question: str) -> Forms:
        lines = reference.split("\n")
        return {
            "spaces": "\n".join(" ".join(line) for line in lines),
            "space at line ends": "\n".join(f"{line} " for line in lines),
            "CRLF": "\r\n".join(lines),
        }

    def misses(self, reference: str, question: str, rng: Random) -> Forms:
        place = rng.choice([place for place, sign in enumerate(reference) if sign != "\n"])
        other = "✅" if reference[place] == "❌" else "❌"
        return {
            "sign": reference[:place] + other + reference[place + 1 :],
            "row left out": reference.rpartition("\n")[0],
        }


Pattern = Callable[[int, int], int]
"""A number for each column and row; one of its remainders is that of a ✅."""
RULE = (
    "A cell is ✅ if a number that depends on its column x and row y leaves a certain remainder "
    "when it is divided by a certain whole number from 2 to {}: a * x + b * y with factors from 1 "
    "to 3, |x - y|, x * y, or x to the power of y. Columns and rows are counted from numbers "
    "between 0 and 6."
)
"""Says in the question which patterns there are: all of them are tried."""
MIN_HOLES = 5
"""Holes of a grid besides their mirror images; some may coincide."""
FACTORS, STARTS = range(1, 4), range(7)
"""Of columns and rows in a sum, and from what they are counted elsewhere."""
MAX_DIVISOR = 20
"""The greatest divisor that the question allows, unless the settings name a greater one."""
SPARE = 2
"""How many rows or columns less a grid may have."""
SUMS_AND_DIFFERENCES = 0.15
"""The share of grids of these kinds. Each of them repeats itself one or a few steps away."""
MIN_TICKS, MIN_SHOWN, MAX_GRIDS = 6, 2, 30
"""The fewest ✅ of a grid, and of its cells shown; grids to try before an entry is given up."""


PATTERNS: dict[str, list[Pattern]] = {
    "sum": [partial(lambda a, b, x, y: a * x + b * y, a, b) for a, b in product(FACTORS, repeat=2)],
    "diff": [
        partial(lambda start, x, y: abs(x - y + start), start)
        for start in [*STARTS, *(-start for start in STARTS[1:])]
    ],
    "prod": [
        partial(lambda a, b, x, y: (x + a) * (y + b), a, b) for a, b in product(STARTS, repeat=2)
    ],
    "pow": [
        partial(lambda a, b, x, y: (x + a) ** (y + b), a, b) for a, b in product(STARTS, repeat=2)
    ],
}
"""The library's name of an operation -> the patterns that it makes."""


def correct(entry: Entry) -> Entry | None:
    """Replace the grid; half of the holes hide a ✅, and the mirror image of each is a hole, too.

    No other pattern agrees with all that is left, but not in a hole. Nearly all cells are ❌, so
    that is what nearly all holes of the library hide. Several patterns are symmetric, so that the
    cell across the diagonal fills the gap. There are several holes, because one or two can be
    guessed.
    """
    before, _ = str(entry["question"]).rsplit("\n\n", 1)
    settings = entry["metadata"]["difficulty"]
    most = max(MAX_DIVISOR, settings["divisor"])
    rng = random_of(entry)
    for _ in range(MAX_GRIDS):
        rows, columns = (settings[side] - rng.randint(0, SPARE) for side in ("size_y", "size_x"))
        divisor = rng.randint(max(3, settings["divisor"] * 2 // 3), max(3, settings["divisor"]))
        kinds = ("sum", "diff") if rng.random() < SUMS_AND_DIFFERENCES else ("prod", "pow")
        operation = rng.choice(kinds)
        pattern = rng.choice(PATTERNS[operation])
        rests = [[pattern(x, y) % divisor for x in range(columns)] for y in range(rows)]
        target = rng.choice([rest for row in rests for rest in row])
        solution = ["".join("❌✅"[rest == target] for rest in row) for row in rests]
        ticks = sum(row.count("✅") for row in solution)
        if not MIN_TICKS <= ticks <= rows * columns // 2:
            continue
        shown = _with_holes(rng, solution, max(MIN_HOLES, settings["holes"]))
        if is_determined(shown, solution, most):
            question = "\n\n".join([before, RULE.format(most), "\n".join(map("".join, shown))])
            found = {"divisor": divisor, "target": target, "operation": operation}
            return changed(entry, question, "\n".join(solution), **found)
    return None


def _with_holes(rng: Random, solution: Sequence[str], count: int) -> list[list[str]]:
    """Return the grid with about `count` holes and their mirror images.

    One row and one column hide all their ✅, so these can't be filled from themselves, with what
    comes again and again, and neither agrees with one line of its kind only.
    """
    rows = [list(row) for row in solution]
    ticks = [(y, x) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell == "✅"]
    bare_row, bare_column = (rng.choice(sorted(set(places))) for places in zip(*ticks, strict=True))
    holes = [(y, x) for y, x in ticks if y == bare_row or x == bare_column]
    for _ in range(count - len(holes)):
        y, x = rng.randrange(len(rows)), rng.randrange(len(rows[0]))
        if rng.random() < 0.5:
            y, x = rng.choice(ticks)
        holes.append((y, x))
    for y, x in holes:
        rows[y][x] = "❔"
        if x < len(rows) and y < len(rows[x]):
            rows[x][y] = "❔"
    return rows


def is_determined(
    shown: Sequence[Sequence[str]], solution: Sequence[str], most: int = MAX_DIVISOR
) -> bool:
    """Return whether all patterns that agree with the cells shown agree with the solution.

    Patterns have divisors up to `most`. Grids that show fewer than two ✅ count as open.
    """
    ticks, crosses, holes = (
        [(x, y) for y, row in enumerate(shown) for x, cell in enumerate(row) if cell == sign]
        for sign in "✅❌❔"
    )
    if len(ticks) < MIN_SHOWN:
        return False
    first, *others = ticks
    for pattern in (each for patterns in PATTERNS.values() for each in patterns):
        value = pattern(*first)
        common = 0  # what a divisor has to divide, so that all ticks have one remainder
        for cell in others:
            common = math.gcd(common, pattern(*cell) - value)
            if common == 1:
                break
        for divisor in range(2, most + 1) if common != 1 else ():
            if common % divisor or any((pattern(*c) - value) % divisor == 0 for c in crosses):
                continue
            if any(
                ((pattern(x, y) - value) % divisor == 0) != (solution[y][x] == "✅")
                for x, y in holes
            ):
                return False
    return True


def family(entry: Entry) -> object:
    """Keep the completed grid; ignore holes, rotations, mirrors, other symbols."""
    return turned_and_renamed(entry["answer"].splitlines())


TASK = Task(
    answer=Marks(),
    correct=correct,
    family=family,
    # With few holes and large divisors, all holes are crosses. So there are more holes, and
    # divisors that the grid shows, but with divisors of 5 or less a few grids come again and
    # again. The grid is wider than high: most holes have no mirror image.
    levels=moving(
        size_x=[15, 17, 20, 23, 27],
        size_y=[8, 9, 10, 11, 12],
        max_divisor=[6, 7, 9, 11, 13],
        max_target=[3, 4, 6, 9, 12],
        max_holes=[6, 10, 16, 24, 34],
    ),
    faster={"cognition.modulo_grid:deepcopy": lambda grid: [list(row) for row in grid]},
    accepted={"shortcut": "the answer repeats the question's grid but for a few cells"},
)
