"""Load tokenizers when they are needed: making problems and scoring answers need none."""

import contextlib
import functools
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError, RepositoryNotFoundError
from transformers import AutoTokenizer

from rgenv.runtime.preflight import require_in_time

log = logging.getLogger(__name__)


class LazyTokenizer:
    """Loads a tokenizer, in so many seconds at most, when one of its attributes is first used."""

    def __init__(self, name: str, timeout: float) -> None:
        self._name, self._timeout = name, timeout

    @functools.cached_property
    def loaded(self) -> Any:
        """The tokenizer; whoever reads this waits for it."""
        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # it tells of each attempt
        where = "" if Path(self._name).is_dir() else " is not a folder here, and"
        return require_in_time(
            functools.partial(_load, self._name),
            self._timeout,
            f"The tokenizer {self._name!r}{where} can't be loaded ({{why}}): set "
            "--env.tokenizer_name to a model of the hub or a folder with tokenizer.json.",
            doing=f"Loading the tokenizer {self._name}",
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copying and pickling look for these
            raise AttributeError(name)
        return getattr(self.loaded, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.loaded(*args, **kwargs)

    def __len__(self) -> int:
        return len(self.loaded)


def at_need(name: str, timeout: float) -> Any:
    """Return a tokenizer that is on this machine, and a `LazyTokenizer` for any other."""
    with contextlib.suppress(Exception):  # transformers raises many types
        return AutoTokenizer.from_pretrained(name, local_files_only=True)
    return LazyTokenizer(name, timeout)


def _load(name: str) -> Any:
    if not Path(name).is_dir():  # `from_pretrained` would ask a hub that is away for a minute
        try:
            HfApi().model_info(name)
        except RepositoryNotFoundError:
            raise
        except HfHubHTTPError as error:  # the hub is there, so its files decide
            log.debug("The hub says nothing of %s: %s", name, error)
    return AutoTokenizer.from_pretrained(name)


def require_tokenizers(tokenizers: Iterable[Any]) -> None:
    for tokenizer in tokenizers:
        if isinstance(tokenizer, LazyTokenizer):
            tokenizer.loaded  # noqa: B018
