"""Turn a coloured cube, and name the colour of a side."""

import re

from rgenv.tasks import Entry, Task, moving
from rgenv.tasks.answers.words import Word


def family(entry: Entry) -> object:
    """Keep the sides that are named after the first paragraph; ignore colours, order, wording."""
    _, _, turns = entry["question"].partition("\n\n")
    return sorted(re.findall("top|right|front|left|back|bottom", turns))


TASK = Task(
    answer=Word(),
    clarify=(
        (
            r"(?s)\n\n.*\bbottom\b.*\n\n",
            "When the bottom is brought to the top, the cube is turned over so that its left and "
            "right sides stay where they are.",
        ),
    ),
    family=family,
    # Level 0 of the curriculum has more rotations than the default, and its last level 100.
    levels=moving(rotations=[(1, 2), (3, 4), (5, 7), (8, 12), (13, 20)]),
)
