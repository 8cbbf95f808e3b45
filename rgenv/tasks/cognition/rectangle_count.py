"""Count drawn rectangles that may overlap."""

from itertools import product
from random import Random

import numpy

from rgenv.tasks import Entry, Levels, Number, Task, random_of, replaced, with_solution
from rgenv.tasks.boards import MAX_BOARDS
from rgenv.tasks.symmetries import part_of, rows_of_cells

SENTENCE = (
    "Each side of a rectangle has at least three cells. "
    "Where rectangles cross, count as few of them as the picture can be made of."
)
SIGNS = " #█"
"""How many outlines pass a cell -> its sign."""


def correct(entry: Entry) -> Entry | None:
    """Return the entry if its picture can't be made of fewer rectangles, as far as is known."""
    return entry if needed(entry["metadata"]["puzzle"]) == int(entry["answer"]) else None


ROUNDS = 2
"""Rounds in which the bounds of all cells pass to their neighbours."""


def needed(picture: str) -> int:
    """Return a number of rectangles that a picture has at least: of corners that must be there.

    An outline that passes a cell crosses two of the cell's four edges. So bounds for
    three of the edges give a bound for the fourth.
    """
    ink = numpy.array([[SIGNS.index(sign) for sign in row] for row in picture.splitlines()])
    pairs = (ink[:, 1:], ink[:, :-1]), (ink[1:], ink[:-1])
    ends = ((0, 0), (1, 1)), ((1, 1), (0, 0))
    most = [numpy.pad(numpy.minimum(*pair), end) for pair, end in zip(pairs, ends, strict=True)]
    least = [numpy.zeros_like(crossing) for crossing in most]
    low, high = ((a[:, :-1], a[:, 1:], b[:-1], b[1:]) for a, b in (least, most))
    for _ in range(ROUNDS):
        for a in (most[0].T, most[1]):  # a line goes on beyond one end of an edge
            a[1:-1] = numpy.minimum(a[1:-1], a[:-2] + a[2:])
        spare, surplus = 2 * ink - sum(low), sum(high) - 2 * ink
        for least_of, most_of in zip(low, high, strict=True):
            bounds = numpy.maximum(least_of, most_of - surplus), least_of + spare
            least_of[:], most_of[:] = bounds[0], numpy.minimum(most_of, bounds[1])
    corners = (
        numpy.maximum(0, low[x] + low[y] - high[1 - x] - high[5 - y] + 1) // 2
        for x, y in product((0, 1), (2, 3))
    )
    return max(int(found.sum()) for found in corners)


MAX_TRIES = 40
"""Places to try for a rectangle."""


def harden(entry: Entry) -> Entry | None:
    """Let sides merge: half of the lines is right in .90 of the library's grids, in .06 of these.

    The sides are on few lines. Few rectangles are counted at a glance, so there are more than a
    fourth of the most.
    """
    rng, puzzle = random_of(entry), entry["metadata"]["puzzle"]
    most = entry["metadata"]["difficulty"]["max_rectangles"]
    count = rng.randint(most // 4 + 1, most)
    for more in range(MAX_BOARDS):
        picture = _drawn(rng, count, puzzle.splitlines(), more)
        if picture and needed(picture) == count:
            question = replaced(entry["question"], puzzle, picture)
            return with_solution(entry, question, count, puzzle=picture)
    return None


def _drawn(rng: Random, count: int, rows: list[str], more: int) -> str:
    """Draw rectangles of a few lines and `more`, none side by side; "" if one has no place."""
    ink, lines = numpy.zeros((len(rows), len(rows[0])), int), []
    for side in ink.shape:
        number = min(round((1 + rng.random()) * (count**0.5 + 1)) + more, side // 2)
        places = sorted(rng.sample(range(side - number + 1), number))
        lines.append([n + place for n, place in enumerate(places)])
    for _ in range(count):
        for _ in range(MAX_TRIES):
            (top, bottom), (left, right) = (sorted(rng.sample(places, 2)) for places in lines)
            outline = numpy.zeros_like(ink)
            outline[top : bottom + 1, left : right + 1] = 1
            outline[top + 1 : bottom, left + 1 : right] = 0
            if (ink + outline).max() <= 2:
                ink += outline
                break
        else:
            return ""
    return "".join("".join(SIGNS[n] for n in row) + "\n" for row in ink.tolist())


def family(entry: Entry) -> object:
    """Keep how many outlines cross each row and column; ignore place of the picture, rotations,
    mirrors, order of rows and columns.
    """
    rows = rows_of_cells(part_of(r"grid below\?\n(.*)", entry))
    return sorted(
        sorted([line.count("#"), line.count("█")] for line in map("".join, side) if line.strip())
        for side in (rows, zip(*rows, strict=True))
    )


TASK = Task(
    answer=Number(unit="rectangles?"),
    correct=correct,
    harden=harden,
    clarify=(("", SENTENCE),),
    family=family,
    # The canvas grows with the number of rectangles, so that they do not hide each other.
    levels=Levels(
        knots={"max_rectangles": [4, 7, 12, 18, 26], "width": [20, 80], "height": [20, 80]}
    ),
    accepted={"shortcut": "few of the library's sides merge, so half of the lines is often right"},
)
