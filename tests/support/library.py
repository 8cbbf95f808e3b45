"""Make and correct entries of reasoning-gym directly, without a worker."""

import random
from typing import Any

import numpy
import pytest
import reasoning_gym

from rgenv.tasks.entry import Entry
from rgenv.tasks.registry import record_of
from rgenv.worker.problem_maker import faster_functions, rewritten


def make_entry(task: str, seed: int, config: dict[str, Any]) -> tuple[Any, Any]:
    """Return a data set and its only entry, the same in every process."""
    random.seed(seed)
    numpy.random.seed(seed)
    dataset = reasoning_gym.create_dataset(task, size=1, seed=seed, **config)
    return dataset, dataset[0]


def corrected(task: str, entry: Entry) -> Entry | None:
    """Return an entry with a right answer, as strict workers have it; None if none is provable."""
    return rewritten(record_of(task).correct, entry)


def replace_slow_functions(patch: pytest.MonkeyPatch) -> None:
    """Replace them as workers do, until `patch` is undone."""
    for owner, name, replacement in faster_functions():
        patch.setattr(owner, name, replacement)
