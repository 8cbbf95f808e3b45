"""Count drawn rectangles that may overlap."""

from random import Random

from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.boards import MAX_BOARDS
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Levels, Task
from rgenv.tasks.rewriting import random_of, with_solution
from rgenv.tasks.symmetries import part_of, rows_of_cells
from rgenv.tasks.verifying import exact

MAX_TRIES = 40
"""Places to try for a rectangle; the later ones are for smaller rectangles."""


def correct(entry: Entry) -> Entry | None:
    """Draw other rectangles, many of which begin at a side of another one.

    Sides on a common line merge, so neither strokes nor ink tell how many rectangles there are. Few
    rectangles are counted at a glance, so there are more than a fourth of the most.
    """
    rng = random_of(entry)
    puzzle, most = entry["metadata"]["puzzle"], entry["metadata"]["difficulty"]["max_rectangles"]
    shown = puzzle.splitlines()
    sides = len(shown), len(shown[0])
    head, old, tail = entry["question"].partition(puzzle)
    count = rng.randint(most // 4 + 1, most)
    for attempt in range(MAX_BOARDS):
        fewest = 1 + count**0.5
        lines = [int(fewest * (8 * count / fewest) ** rng.random()) + 2 * attempt for _ in sides]
        height, width = (min(n + 1, side // 2) for n, side in zip(lines, sides, strict=True))
        plan = _plan(rng, count, (height, width))
        if plan and old:
            across = _stretched(rng, width, sides[1])
            rows = ["".join(" #█"[row[c]] for c in across) + "\n" for row in plan]
            puzzle = "".join(rows[r] for r in _stretched(rng, height, sides[0]))
            return with_solution(entry, f"{head}{puzzle}{tail}", count, puzzle=puzzle)
    return None


def _plan(rng: Random, count: int, lines: tuple[int, int]) -> list[list[int]]:
    """Return how many outlines cross each line and the gap behind it; [] if some find no place.

    No two outlines touch with opposite corners only, which could be two lines that cross, too. So
    each corner is seen, and the picture can't be made of fewer rectangles.
    """
    once, twice = [0] * (2 * lines[0]), [0] * (2 * lines[0])
    placed: list[list[tuple[int, int]]] = []
    corners: set[tuple[int, int, bool, bool]] = set()
    joined, upright = 1 - rng.random() ** 2, rng.random()
    for _ in range(count):
        for trial in range(MAX_TRIES):
            if placed and rng.random() < joined:
                spans = _joined(rng, rng.choice(placed), rng.random() < upright, lines)
            else:
                spans = [_span(rng, n, 1 / (1 + trial / 2)) for n in lines]
            (top, bottom), (left, right) = spans
            side, both = (2 << right) - (1 << left), 1 << left | 1 << right
            outline = dict.fromkeys(range(top, bottom + 1), both) | {top: side, bottom: side}
            if any(twice[r] & cells for r, cells in outline.items()):
                continue
            new = {(r, c, r == top, c == left) for r in (top, bottom) for c in (left, right)}
            if corners.isdisjoint((r, c, not upper, not first) for r, c, upper, first in new):
                break
        else:
            return []
        placed.append(spans)
        corners |= new
        for r, cells in outline.items():
            twice[r] |= once[r] & cells
            once[r] |= cells
    return [
        [(one >> c & 1) + (two >> c & 1) for c in range(2 * lines[1])]
        for one, two in zip(once, twice, strict=True)
    ]


def _span(rng: Random, lines: int, scale: float) -> tuple[int, int]:
    """Return the places of two lines in a plan."""
    length = 1 + int(rng.random() * scale * (lines - 1))
    first = rng.randrange(lines - length)
    return 2 * first, 2 * (first + length)


def _joined(
    rng: Random, spans: list[tuple[int, int]], axis: int, lines: tuple[int, int]
) -> list[tuple[int, int]]:
    """Return a rectangle that begins where another one ends, or is the same."""
    first, last = spans[axis]
    line = 2 * rng.randrange(lines[axis])
    span = (line, first) if line < first else (last, line) if line > last else (first, last)
    return [span, spans[1]] if axis == 0 else [spans[0], span]


def _stretched(rng: Random, lines: int, side: int) -> list[int]:
    """Return the line or gap of a plan that each row or column shows; -1, an empty gap, outside."""
    span = rng.randint(2 * lines - 1, side)
    first = rng.randint(0, side - span)
    places = [n + i for i, n in enumerate(sorted(rng.sample(range(span - lines + 1), lines)))]
    shown = [-1] * side
    for line, place in enumerate(places):
        shown[first + place] = 2 * line
        if line + 1 < lines:
            for gap in range(place + 1, places[line + 1]):
                shown[first + gap] = 2 * line + 1
    return shown


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
    answer=Number(),
    correct=correct,
    verify=exact,
    clarify=(("", "Where rectangles cross, count as few of them as the picture can be made of."),),
    family=family,
    # The canvas grows with the number of rectangles, so that they do not hide each other.
    levels=Levels(
        knots={"max_rectangles": [4, 7, 12, 18, 26], "width": [20, 50], "height": [20, 50]}
    ),
    # Whoever counts the corners, ends and crossings of lines has seen the whole picture; a sum of
    # these counts with fitted weights is right in .54 at level .5 and in .32 at level 1.
    accepted={"shortcut": "the few rectangles of the levels below .5 are counted at a glance"},
)
