"""Find the rule behind changed grids, and apply it (ARC)."""

from rgenv.tasks import Levels, Task, all_or_nothing
from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.examples import objects_and_changes, turned_test

TASK = Task(
    answer=Grid(),
    verify=all_or_nothing,
    family=turned_test,
    work=objects_and_changes,
    # Each puzzle is given; its augmentations do not make it harder. So problems are chosen by
    # their objects and the cells that change. The sizes of boards are fixed, and a few items
    # are long.
    levels=Levels(
        work=[(2, 4.4), (3.8, 5.2), (4.8, 5.8), (5.5, 6.8), (6.6, 9.6)],
        fixed=(
            "Parameters turn, mirror and recolour a puzzle, which is no work, or "
            "choose between two sets."
        ),
        unbound=("question_chars", "answer_chars"),
    ),
    prepared=("use_train", "use_eval", "board_format_opts"),
)
