"""Count the steps of the shortest way through a maze."""

from __future__ import annotations

import re

from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.symmetries import turned_and_renamed
from rgenv.tasks.verifying import exact


def _rows(question: str) -> list[str]:
    return question.split("```\n", 1)[1].split("\n```", 1)[0].split("\n")


def shortcuts(question: str) -> Answers:
    """Measure the distance as if there were no walls."""
    start, goal = re.findall(r"'(.)' \((?:start|goal)\)", question)
    rows = _rows(question)
    places = {cell: (y, x) for y, row in enumerate(rows) for x, cell in enumerate(row)}
    distance = sum(abs(a - b) for a, b in zip(places[start], places[goal], strict=True))
    return {
        "distance without walls": str(distance),  # .75
        "distance without walls and a detour": str(distance + 2),  # .31
        "distance without walls and two detours": str(distance + 4),  # .26
    }


def family(entry: Entry) -> object:
    """Keep the grid; ignore rotations, mirrors, other symbols."""
    return turned_and_renamed(_rows(entry["question"]))


TASK = Task(
    answer=Number(unit="steps?"),
    verify=exact,
    shortcuts=shortcuts,
    kept={
        "distance without walls": 0.05,
        "distance without walls and a detour": 0.12,
        "distance without walls and two detours": 0.4,
    },
    family=family,
    # The distance is what makes a maze hard; a side of 100 cells is long rather than deep.
    # Shorter ways than 5 steps have no detours.
    levels=Levels(
        knots={
            "min_dist": [5, 9, 13, 19, 27],
            "max_dist": [9, 13, 18, 26, 37],
            "min_grid_size": [8, 10, 13, 17, 22],
            "max_grid_size": [10, 13, 16, 21, 27],
        }
    ),
)
