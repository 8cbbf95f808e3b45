"""Load tokenizers when they are needed: making problems and scoring answers need none.

::

    with loaded_at_need(timeout=60):       # around the constructor of BaseEnv
        ...
    require_tokenizers([env, *servers])    # a command loads them at its start
    vocabulary_size(env.tokenizer)         # 151,936: ids that the model has

A tokenizer that is on this machine is loaded at once. For any other the constructor gets a
`LazyTokenizer`, which downloads it when it is first used.
"""

from __future__ import annotations

import contextlib
import json
import math
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from atroposlib.envs import base
from atroposlib.envs.server_handling import sglang_server, trl_vllm_server, vllm_server
from transformers import AutoTokenizer
from transformers.utils.hub import cached_file

from rgenv.runtime.preflight import require_in_time

_LOADING = (base, vllm_server, sglang_server, trl_vllm_server)
"""Atropos' modules whose constructors load a tokenizer, with the name `AutoTokenizer`."""


class LazyTokenizer:
    """Loads a tokenizer when one of its attributes is first used.

    Args:
        name: a model of the hub, or a folder.
        timeout: seconds that loading may take.
    """

    def __init__(self, name: str, timeout: float) -> None:
        self._name, self._timeout = name, timeout
        self._loaded: Any = None
        self._one_at_a_time = threading.Lock()

    def load(self) -> Any:
        """Return the tokenizer itself.

        Raises:
            StartupError: it can't be loaded in time.
        """
        with self._one_at_a_time:
            if self._loaded is None:
                self._loaded = require_in_time(
                    lambda: AutoTokenizer.from_pretrained(self._name),
                    self._timeout,
                    f"The tokenizer {self._name!r} can't be loaded ({{why}}): set "
                    "--env.tokenizer_name to a model of the hub or a folder with tokenizer.json.",
                    doing=f"Loading the tokenizer {self._name}",
                )
        return self._loaded

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copying and pickling look for these
            raise AttributeError(name)
        return getattr(self.load(), name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.load()(*args, **kwargs)

    def __len__(self) -> int:
        return len(self.load())


@contextlib.contextmanager
def loaded_at_need(timeout: float) -> Iterator[None]:
    """Let Atropos' constructors get a `LazyTokenizer` for what is not on this machine.

    The constructors have no argument for that, so the class that they load tokenizers with is
    replaced within this context.

    Args:
        timeout: seconds that loading may take.
    """

    class AtNeed:
        @staticmethod
        def from_pretrained(name: str) -> Any:
            with contextlib.suppress(Exception):  # transformers raises many types
                return AutoTokenizer.from_pretrained(name, local_files_only=True)
            return LazyTokenizer(name, timeout)

    for module in _LOADING:
        module.AutoTokenizer = AtNeed
    try:
        yield
    finally:
        for module in _LOADING:
            module.AutoTokenizer = AutoTokenizer


def require_tokenizers(holders: Iterable[Any]) -> None:
    """Load the attribute `tokenizer` of each of these objects, if it has one.

    Raises:
        StartupError: a tokenizer can't be loaded.
    """
    for holder in holders:
        if isinstance(tokenizer := getattr(holder, "tokenizer", None), LazyTokenizer):
            holder.tokenizer = tokenizer.load()


def vocabulary_size(tokenizer: Any) -> float:
    """Return the number of token ids that a trainer's model has: at least those of the tokenizer.

    Many models have some more, to reach a round number; config.json beside the tokenizer says so,
    if it is on this machine.
    """
    try:
        known = len(tokenizer)
    except TypeError:  # one that a program brings may have no length
        return math.inf
    with contextlib.suppress(Exception):  # transformers raises many types
        path = cached_file(tokenizer.name_or_path, "config.json", local_files_only=True) or ""
        config = json.loads(Path(path).read_text())
        sizes = [part.get("vocab_size") for part in (config, config.get("text_config") or {})]
        known = max(known, *(size for size in sizes if type(size) is int))
    return known
