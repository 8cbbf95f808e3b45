"""Count drawn rectangles that may overlap."""

from __future__ import annotations

from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Levels, Task
from rgenv.tasks.symmetries import part_of, rows_of_cells
from rgenv.tasks.verifying import exact


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
    verify=exact,
    clarify=(("", "Where rectangles cross, count as few of them as the picture can be made of."),),
    family=family,
    # The canvas grows with the number of rectangles, so that they do not hide each other.
    levels=Levels(
        knots={"max_rectangles": [4, 7, 12, 18, 26], "width": [20, 60], "height": [20, 60]}
    ),
)
