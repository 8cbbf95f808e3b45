"""Find the rule behind changed grids, and apply it (RE-ARC)."""

from collections.abc import Mapping

from rgenv.tasks import Task, all_or_nothing, moving
from rgenv.tasks.answers import grids
from rgenv.tasks.examples import Grid, instructive, objects, objects_and_changes, turned_test


def difficulty(example: Mapping[str, Grid]) -> float:
    """Return the library's measure of cells, colours and objects."""
    shown = example["input"], example["output"]
    before, after = (len(grid) * len(grid[0]) for grid in shown)
    colours = {colour for grid in shown for row in grid for colour in row}
    density = (objects(shown[0]) / before + objects(shown[1]) / after) / 2
    return ((before + after) / 1800 + len(colours) / 10 + density) / 3


TASK = Task(
    answer=grids.Grid(),
    correct=instructive,
    verify=all_or_nothing,
    family=turned_test,
    work=objects_and_changes,
    # PSO difficulty is lower on larger boards, so it is left open. The generators' own
    # difficulty rises, and problems are chosen by their objects and the cells that change.
    levels=moving(
        rng_difficulty_ranges=[
            [[0.0, 0.05]],
            [[0.03, 0.1]],
            [[0.1, 0.18]],
            [[0.16, 0.28]],
            [[0.25, 0.45]],
        ],
        rng_difficulty_weights=[[1.0]],
        pso_difficulty_ranges=[[[0, 1]]],
        pso_difficulty_weights=[[1.0]],
        diff_ub=[0.05, 0.1, 0.15, 0.2, 0.25],
        work=[(1.5, 3), (2.8, 3.8), (3.6, 4.6), (4.5, 5.6), (5.5, 9)],
    ),
    prepared=("board_format_opts", "diff_lb", "diff_ub"),
    faster={"arc.rearc_utils.utils:get_pso_difficulty": difficulty},
)
