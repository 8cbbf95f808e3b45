"""Data sets that read files or search when they are made, kept for the next seed.

::

    shelf = DatasetCache(create)                          # create(task, seed, config): a new data set
    shelf.dataset("arc_agi", 7, {})[0]             # 0.3 s
    shelf.dataset("arc_agi", 8, {"rotations": ["90"]})[0]    # 1 ms

What `__init__` prepares there depends on the parameters in `PREPARED` and on nothing else, neither
on the seed nor on the global generators; so a copy with another seed and other parameters beside
them is what a new one would be. tests/test_shelf.py makes every task's problems both ways. The
other tasks prepare next to nothing, or what hangs on the seed.

One is kept for each task, the last: codeio's data is its class's, and that of the last one made.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

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
"""Task -> the parameters its `__init__` reads, in reasoning-gym 0.1.25."""


class DatasetCache:
    """Gives data sets of one item.

    Args:
        create: makes a new one.
        prepared: which tasks' are kept, and what they depend on; empty keeps none.
    """

    def __init__(self, create: Create, prepared: Mapping[str, tuple[str, ...]] = PREPARED) -> None:
        self._create = create
        self._prepared = prepared
        self._kept: dict[str, tuple[str, Any]] = {}

    def dataset(self, task: str, seed: int, config: Config) -> Any:
        """The data set whose item 0 is the problem of this recipe; raises what making it raises."""
        if task == "composite":
            self._kept.pop("codeio", None)  # there may be another one in the mixture
        if task not in self._prepared:
            return self._create(task, seed, config)
        key = json.dumps([config.get(name) for name in self._prepared[task]])
        kept_key, kept = self._kept.get(task, (None, None))
        if kept_key == key:
            return _again(kept, seed, config)
        dataset = self._create(task, seed, config)
        self._kept[task] = key, dataset
        return dataset


def _again(kept: Any, seed: int, config: Config) -> Any:
    """What `kept` prepared, under another seed and other parameters."""
    dataset = copy.copy(kept)
    dataset.config = type(kept.config)(seed=seed, size=1, **config)
    dataset.config.validate()
    dataset.seed = seed
    return dataset
