"""Find the distance of each cell to the nearest 0."""

from rgenv.tasks import Task, by_library, moving
from rgenv.tasks.answers.grids import Matrix
from rgenv.tasks.safe_parse import literal
from rgenv.tasks.symmetries import turned_grid

TASK = Task(
    answer=Matrix(),
    verify=by_library,
    guarded={"eval": literal},
    family=turned_grid,
    # The curriculum starts at or above the default, so easier values are added. With fewer
    # zeros, distances grow.
    levels=moving(
        n=[(4, 5), (6, 8), (9, 12), (13, 17), (18, 24)], p_zero=[0.25, 0.2, 0.15, 0.1, 0.06]
    ),
)
