"""Rotate a matrix by a multiple of 90 degrees."""

from rgenv.tasks import Entry, Task, changed, moving, random_of, replaced
from rgenv.tasks.answers.grids import Matrix
from rgenv.tasks.symmetries import matrix_cells


def correct(entry: Entry) -> Entry:
    """Add whole turns to the angle: of a few angles, the first digits would tell the turn."""
    meta = entry["metadata"]
    turns = meta["num_rotations"]
    most = meta["difficulty"]["num_rotations"][1] ** 2
    added = 4 * random_of(entry).randint(0, most)
    shown, angle = f" {turns * 90} degrees", f" {(turns + added) * 90} degrees"
    question = replaced(entry["question"], shown, angle)
    return changed(entry, question, entry["answer"], num_rotations=turns + added)


TASK = Task(
    answer=Matrix(),
    correct=correct,
    family=matrix_cells,
    # A side of 54 is long rather than deep. The four outcomes come equally often, so the same turn
    # is right in .25 of the problems, .27 at the defaults; a half turn for multiples of 180 degrees
    # and a quarter for others, in .5 and .55. That is by nature.
    levels=moving(
        n=[(3, 3), (5, 6), (7, 9), (10, 13), (14, 18)],
        rotations=[(0, 3), (0, 7), (0, 15), (0, 31), (0, 63)],
    ),
)
