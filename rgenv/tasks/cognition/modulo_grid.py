"""Find the arithmetic behind a grid of signs, and fill it."""

import math
from collections.abc import Callable, Sequence
from itertools import chain

from rgenv.tasks import Answer, Entry, Task, changed, moving, random_of
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


OPERATIONS: list[Callable[[int, int], int]] = [
    lambda x, y: x + y,
    lambda x, y: abs(x - y),
    lambda x, y: x * y,
    lambda x, y: int(x**y),
]
"""What the library divides, of a column and a row."""
RULE = (
    "A cell in column x and row y, both counted from 0 at the top left, is ✅ if a certain one of "
    "x + y, |x - y|, x * y and x ** y, divided by a certain whole number, leaves a certain "
    "remainder. Here 0 ** 0 is 1."
)
HOLES, FEWEST_HOLES = 12, 4
"""Holes of a harder grid, where the settings name no number, and in any case."""


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if the cells shown leave a hole open."""
    shown = str(entry["question"]).rsplit("\n\n", 1)[1].split("\n")
    return entry if is_determined(shown, entry["answer"].split("\n")) else None


def harden(entry: Entry) -> Entry | None:
    """Hide both signs: to fill all holes with ❌ is right in .93 of the library's, .00 of these.

    The mirror image of each hole is a hole, too, because several patterns are symmetric.
    """
    rng, rows = random_of(entry), entry["answer"].split("\n")
    cells = {(x, y): sign for y, row in enumerate(rows) for x, sign in enumerate(row)}
    by_sign = [[cell for cell in cells if cells[cell] == sign] for sign in "✅❌"]
    pairs = zip(*(rng.sample(each, len(each)) for each in by_sign), strict=False)
    most = entry["config"].get("max_holes", HOLES)
    holes: set[tuple[int, int]] = set()
    for x, y in chain.from_iterable(pairs):
        more = holes | ({(x, y), (y, x)} & cells.keys())
        holes = more if len(more) <= most else holes
    shown = [
        "".join("❔" if (x, y) in holes else sign for x, sign in enumerate(row))
        for y, row in enumerate(rows)
    ]
    if len(holes) < FEWEST_HOLES or not is_determined(shown, rows):
        return None
    before, _ = str(entry["question"]).rsplit("\n\n", 1)
    return changed(entry, "\n".join([f"{before}\n", *shown]), entry["answer"])


def is_determined(shown: Sequence[str], solution: Sequence[str]) -> bool:
    """Return whether all patterns that agree with the cells shown agree with the solution.

    All ✅ have one remainder for `common` and what divides it. A cell that has it for a divisor has
    it for all that divide that one, so the greatest is the one to try.
    """
    for operation in OPERATIONS:
        cells = [
            (operation(x, y), sign, solution[y][x])
            for y, row in enumerate(shown)
            for x, sign in enumerate(row)
        ]
        ticks = [value for value, sign, _ in cells if sign == "✅"]
        if not ticks:
            return False
        common = math.gcd(*(value - ticks[0] for value in ticks))
        crosses = [value - ticks[0] for value, sign, _ in cells if sign == "❌"]
        if not _fits(common, crosses):
            continue
        for value, sign, right in cells:
            if sign != "❔":
                continue
            greatest = math.gcd(common, value - ticks[0])
            if greatest != common if right == "✅" else _fits(greatest, crosses):
                return False
    return True


def _fits(divisor: int, crosses: Sequence[int]) -> bool:
    """Return whether no ❌ has the remainder of a ✅; 0 stands for a divisor above all numbers."""
    return not any(math.gcd(divisor, cross) == divisor for cross in crosses)


def family(entry: Entry) -> object:
    """Keep the completed grid; ignore holes, rotations, mirrors, other symbols."""
    return turned_and_renamed(entry["answer"].splitlines())


TASK = Task(
    answer=Marks(),
    correct=correct,
    harden=harden,
    clarify=(("", RULE),),
    family=family,
    # With few holes and large divisors, all holes are crosses. So there are more holes, and
    # smaller divisors. The grid is wider than high: most holes have no mirror image.
    levels=moving(
        size_x=[15, 17, 20, 23, 27],
        size_y=[8, 9, 10, 11, 12],
        max_divisor=[6, 7, 9, 11, 13],
        max_target=[3, 4, 6, 9, 12],
        max_holes=[4, 8, 16, 24, 34],
    ),
    faster={"cognition.modulo_grid:deepcopy": lambda grid: [list(row) for row in grid]},
    accepted={"shortcut": "the answer repeats the question's grid but for a few cells"},
)
