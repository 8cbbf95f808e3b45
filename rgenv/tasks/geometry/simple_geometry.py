"""Find the last angle of a polygon."""

import re
from fractions import Fraction

from rgenv.tasks import Entry, Number, Task, moving, question_numbers
from rgenv.tasks.answers.numbers import DEGREES


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if the polygon is not convex, though the question says so.

    Every interior angle of a convex polygon is between 0 and 180 degrees.
    """
    angles = [Fraction(angle) for angle in re.findall(r"([\d.]+)°", entry["question"])]
    last = 180 * (len(angles) - 1) - sum(angles)
    return entry if all(0 < angle < 180 for angle in (*angles, last)) else None


TASK = Task(
    answer=Number(unit=DEGREES),
    correct=correct,
    family=question_numbers,
    # The curriculum starts at or above the default, so easier values are added. The angles of a
    # polygon have a narrow range, or the last one is impossible.
    levels=moving(
        sides=[(3, 6), (6, 9), (8, 11), (10, 13), (14, 18)],
        angle=[(30, 170), (90, 176), (110, 178), (130, 178), (146, 178)],
    ),
)
