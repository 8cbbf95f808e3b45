"""Find the rule behind changed rows, and apply it."""

import re
from random import Random
from typing import Any

from reasoning_gym.arc.arc_1d import Arc1DConfig, Arc1DDataset
from reasoning_gym.arc.arc_1d_tasks import ARC_1D_TASKS

from rgenv.tasks import Entry, Task, moving, random_of
from rgenv.tasks.answers.lists import Numbers
from rgenv.tasks.answers.notation import plain_signs
from rgenv.tasks.examples import doublings, turned_test


class Row(Numbers):
    """Cells that are digits, next to each other or in any form of a list."""

    def read(self, text: str, entry: Entry) -> str | None:
        row = plain_signs(text.strip())
        if re.fullmatch("[0-9]+", row):
            return " ".join(row)
        return super().read(text, entry)


MAX_MOVE = 8
"""Cells by which examples may be moved. The rules move blocks by at most four."""


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if its examples show a rule that is wrong for the test.

    Each example may be moved by as many cells, or stay as it is, and the test be changed otherwise.
    """
    meta = entry["metadata"]
    pairs = [
        (one["input"], one["output"]) for one in (*meta["train_examples"], meta["test_example"])
    ]
    for by in range(-MAX_MOVE, MAX_MOVE + 1):
        *examples, test = (before[-by:] + before[:-by] == after for before, after in pairs)
        if all(examples) and not test:
            return None
    return entry


_MOVE = re.compile(r"move_\d")
_OTHERS = [name for name in ARC_1D_TASKS if not _MOVE.match(name)]


def harden(entry: Entry) -> Entry | None:
    """Replace moves: what moved the first example solves .50 of the library's, .04 of these."""
    meta = entry["metadata"]
    if not _MOVE.match(meta["task_name"]):
        return None
    size, seed = meta["size"], random_of(entry).getrandbits(32)
    config = Arc1DConfig(size, size, num_train=len(meta["train_examples"]), seed=seed)
    dataset = Arc1DDataset(config)
    dataset.task_names = _OTHERS
    return correct({**entry, **dataset[0]})


def work(entry: Entry) -> float:
    """Count the objects and the cells that the rule changes, in doublings."""
    test = entry["metadata"]["test_example"]
    return doublings([test["input"]], [test["output"]])


MAX_NUMBERS = 20_000
"""Random numbers of a problem, which takes a few hundred."""


class BoundedRandom(Random):
    """Draws the numbers of `Random`, and gives up where a loop draws numbers for ever.

    For some grids of more than 40 cells, the library looks for ten different colors among nine.
    """

    def __init__(self, seed: Any = None) -> None:
        super().__init__(seed)
        self._left = MAX_NUMBERS

    def randint(self, a: int, b: int) -> int:
        self._left -= 1
        if self._left < 0:
            raise ValueError("the generator draws random numbers without end")
        return super().randint(a, b)


TASK = Task(
    answer=Row(),
    correct=correct,
    harden=harden,
    family=turned_test,
    work=work,
    # A longer grid alone is not harder, so problems are also chosen by their objects and the
    # cells that change.
    levels=moving(
        size=[(8, 12), (14, 18), (20, 26), (28, 36), (38, 50)],
        num_train=[4, 4, 3, 3, 3],
        work=[(1, 3), (2.8, 3.8), (3.6, 4.5), (4.3, 5.2), (5, 8)],
    ),
    faster={"arc.arc_1d:Random": BoundedRandom},
)
