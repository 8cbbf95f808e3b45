"""Reuse data sets that are expensive to construct.

Some data sets read files or run a search in ``__init__``, as that of arc_agi does for 0.3 s. What
they prepare there depends on the parameters in `Task.prepared` alone. So a copy with another seed
and other parameters is equal to a new data set, and takes 1 ms. All others are made anew.
"""

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

from rgenv.tasks.registry import record_of

Config = Mapping[str, Any]
Create = Callable[[str, int, Config], Any]


class DatasetCache:
    """Keeps the last data set of each task: codeio has its data on the class, so only that holds.

    Args:
        create: makes a new data set from task, seed and parameters.
        reuse: False: data sets are always made anew.
    """

    def __init__(self, create: Create, *, reuse: bool = True) -> None:
        self._create = create
        self._reuse = reuse
        self._last: dict[str, tuple[str, Any]] = {}

    def dataset(self, task: str, seed: int, config: Config) -> Any:
        """Return the data set that has the problem of this recipe."""
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
