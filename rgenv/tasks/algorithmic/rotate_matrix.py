"""Rotate a matrix by a multiple of 90 degrees."""

from rgenv.tasks import Task, moving
from rgenv.tasks.answers.grids import Matrix
from rgenv.tasks.symmetries import matrix_cells

TASK = Task(
    answer=Matrix(),
    family=matrix_cells,
    # A side of 54 is long rather than deep. The four outcomes come about equally often, so no turn
    # at all is right in .27 of the problems. That is by nature: if those were drawn again, each
    # other turn would be right in a third.
    levels=moving(
        n=[(3, 3), (5, 6), (7, 9), (10, 13), (14, 18)],
        rotations=[(0, 3), (0, 7), (0, 15), (0, 31), (0, 63)],
    ),
)
