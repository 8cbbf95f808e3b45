"""Rotate a matrix by a multiple of 90 degrees."""

from rgenv.tasks import Entry, Task, changed, moving, random_of
from rgenv.tasks.answers.grids import Matrix
from rgenv.tasks.rewriting import replaced
from rgenv.tasks.symmetries import matrix_cells

WHOLE_TURNS = 10
"""Whole turns that are added at most, for each quarter turn that the parameters allow."""


def correct(entry: Entry) -> Entry:
    """Add whole turns to the angle: of few angles, the first digits would tell the turn."""
    meta = entry["metadata"]
    turns = meta["num_rotations"]
    most = WHOLE_TURNS * meta["difficulty"]["num_rotations"][1]
    added = 4 * random_of(entry).randrange(most + 1)
    question = replaced(
        entry["question"], f" {turns * 90} degrees", f" {(turns + added) * 90} degrees"
    )
    return changed(entry, question, entry["answer"], num_rotations=turns + added)


TASK = Task(
    answer=Matrix(),
    correct=correct,
    family=matrix_cells,
    # A side of 54 is long rather than deep. Each of the four outcomes is as frequent, so a turn that
    # is always the same is right in .25 of the problems of a level, and in .27 of the others; with a
    # half turn for multiples of 180 degrees, it is right in .5 of all.
    levels=moving(
        n=[(3, 3), (5, 6), (7, 9), (10, 13), (14, 18)],
        rotations=[(0, 3), (0, 7), (0, 15), (0, 31), (0, 63)],
    ),
)
