"""Reuse data sets that are expensive to construct.

::

    cache = DatasetCache(create)    # create(task, seed, config) makes a new data set
    cache.dataset("arc_agi", 7, {})[0]                       # 0.3 s
    cache.dataset("arc_agi", 8, {"rotations": ["90"]})[0]    # 1 ms

Some data sets read files or run a search in ``__init__``. What they prepare there depends only on
the parameters in `PREPARED`, not on the seed, the other parameters or the global random generators.
So a copy with another seed and other parameters is equal to a new data set, which
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

from rgenv.worker.coverage import covered

Config = Mapping[str, Any]
Create = Callable[[str, int, Config], Any]

PREPARED: Mapping[str, tuple[str, ...]] = {
    "arc_agi": ("use_train", "use_eval", "board_format_opts"),
    "caesar_cipher": ("delimiter", "min_words", "max_words"),
    "codeio": ("difficulty",),
    "count_primes": ("max_n",),
    "emoji_mystery": ("min_words_in_sentence", "max_words_in_sentence"),
    "figlet_font": ("min_word_len", "max_word_len"),
    "group_anagrams": (),
    "letter_counting": (),
    "letter_jumble": ("min_word_len", "max_word_len"),
    "n_queens": ("n",),
    "rush_hour": ("min_moves", "max_moves"),
    "sentence_reordering": ("min_words_in_sentence", "max_words_in_sentence"),
    "spell_backward": ("data_file", "min_word_len", "max_word_len"),
    "word_ladder": ("min_word_length", "max_word_length"),
    "word_sequence_reversal": (),
    "word_sorting": ("min_word_length", "max_word_length"),
}
"""The tasks whose data sets are reused, and the parameters that their ``__init__`` reads."""


class DatasetCache:
    """Provides data sets of one entry.

    Args:
        create: makes a new data set from task, seed and parameters.
        prepared: the tasks whose data sets are reused, with the parameters they depend on; an empty
            mapping turns the cache off.
    """

    def __init__(self, create: Create, prepared: Mapping[str, tuple[str, ...]] = PREPARED) -> None:
        self._create = create
        self._prepared = prepared
        self._last: dict[str, tuple[str, Any]] = {}

    def dataset(self, task: str, seed: int, config: Config) -> Any:
        """Return the data set whose entry 0 is the problem of this recipe.

        Raises whatever the task raises while the data set is made.
        """
        if task == "composite":
            self._last.pop("codeio", None)  # a codeio part would replace the data on the class
        if task not in self._prepared or not covered(task):
            return self._create(task, seed, config)
        key = json.dumps([config.get(name) for name in self._prepared[task]])
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
