"""Make entries with reasoning-gym directly, without a worker."""

import random
from typing import Any

import numpy
import pytest
import reasoning_gym

from rgenv.worker import faster


def make_entry(task: str, seed: int, config: dict[str, Any]) -> tuple[Any, Any]:
    """Return a data set and its only entry, the same in every process."""
    random.seed(seed)
    numpy.random.seed(seed)
    dataset = reasoning_gym.create_dataset(task, size=1, seed=seed, **config)
    return dataset, dataset[0]


def replace_slow_functions(patch: pytest.MonkeyPatch) -> None:
    """Replace them as workers do, until `patch` is undone."""
    for owner, name, replacement in faster.replacements():
        patch.setattr(owner, name, replacement)
