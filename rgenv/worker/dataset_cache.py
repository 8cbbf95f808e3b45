"""Reuse data sets that are expensive to construct.

::

    cache = DatasetCache(create)    # create(task, seed, config) makes a new data set
    cache.dataset("arc_agi", 7, {})[0]                       # 0.3 s
    cache.dataset("arc_agi", 8, {"rotations": ["90"]})[0]    # 1 ms

Some data sets read files or run a search in ``__init__``. What they prepare there depends only on
the parameters in `Task.prepared`, not on the seed, the other parameters or the global random
generators. So a copy with another seed and other parameters is equal to a new data set, which
tests/worker/test_dataset_cache.py checks for every task. All other tasks prepare next to nothing,
or something that depends on the seed. Data sets of tasks that are not covered are made anew.

The cache keeps one data set per task, the last one. codeio stores its data on the class, so only
the last data set made is valid.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

from rgenv.tasks.registry import record_of

Config = Mapping[str, Any]
Create = Callable[[str, int, Config], Any]


class DatasetCache:
    """Provides data sets of one entry.

    Args:
        create: makes a new data set from task, seed and parameters.
        reuse: whether what the data sets of some tasks prepare is reused.
    """

    def __init__(self, create: Create, *, reuse: bool = True) -> None:
        self._create = create
        self._reuse = reuse
        self._last: dict[str, tuple[str, Any]] = {}

    def dataset(self, task: str, seed: int, config: Config) -> Any:
        """Return the data set whose entry 0 is the problem of this recipe.

        Raises whatever the task raises while the data set is made.
        """
        if task == "composite":
            self._last.pop("codeio", None)  # a codeio part would replace the data on the class
        prepared = record_of(task).prepared
        if prepared is None or not self._reuse:
            return self._create(task, seed, config)
        key = json.dumps([config.get(name) for name in prepared])
        last_key, last = self._last.get(task, (None, None))
        if last_key == key:
            return _copy_with(last, seed, config)
        dataset = self._create(task, seed, config)
        self._last[task] = key, dataset
        return dataset


def _copy_with(dataset: Any, seed: int, config: Config) -> Any:
    """Copy `dataset` with another seed and other parameters, sharing what it prepared."""
    copied = copy.copy(dataset)
    copied.config = type(dataset.config)(seed=seed, size=1, **config)
    copied.config.validate()
    copied.seed = seed
    return copied
