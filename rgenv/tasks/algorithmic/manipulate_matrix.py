"""Apply a series of operations to a matrix."""

from rgenv.tasks import Task, all_or_nothing, moving
from rgenv.tasks.answers.grids import Matrix
from rgenv.tasks.symmetries import matrix_cells

MIRRORS = "A vertical mirror exchanges left and right, a horizontal one top and bottom."
ROTATIONS = "Rotations are clockwise."

TASK = Task(
    answer=Matrix(),
    verify=all_or_nothing,
    clarify=(("Rotate the matrix (90|270)", ROTATIONS), ("(Vertic|Horizont)ally mirror", MIRRORS)),
    family=matrix_cells,
    # The curriculum starts at or above the default, so easier values are added. Its boards are
    # long; a chain of operations is deep, unless it crops the matrix to a cell. The library takes
    # the weight of removing rows for the weight of crops.
    levels=moving(
        transforms=[(2, 3), (4, 5), (6, 7), (8, 10), (11, 14)],
        rows=[(3, 4), (4, 6), (6, 8), (8, 10), (10, 14)],
        cols=[(3, 4), (4, 6), (6, 8), (8, 10), (10, 14)],
        w_remove_every_nth_row=[1.0, 0.5, 0.0, -0.5, -1.0],
    ),
)
