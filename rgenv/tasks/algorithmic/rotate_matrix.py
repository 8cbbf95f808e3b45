"""Rotate a matrix by a multiple of 90 degrees."""

from rgenv.tasks import Task, moving
from rgenv.tasks.answers.grids import Matrix
from rgenv.tasks.questions import last_grid, rows_written
from rgenv.tasks.symmetries import matrix_cells

TASK = Task(
    answer=Matrix(),
    shortcuts=lambda question: {"copy the matrix": rows_written(last_grid(question))},  # .27
    family=matrix_cells,
    # A side of 54 is long rather than deep; one turn to three at level 0, so none is a whole
    # one.
    levels=moving(
        n=[(3, 3), (5, 6), (7, 9), (10, 13), (14, 18)],
        rotations=[(1, 3), (3, 6), (7, 10), (13, 16), (21, 24)],
    ),
)
