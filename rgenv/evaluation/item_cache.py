"""The evaluation set on disk: made once, found again by what defines it.

::

    cache = ItemCache(folder)
    key = cache.key("gcd", eval_seed=123, items=5, levels=[None, 1.0], config={}, version="0.1.25")
    items = cache.load(key)            # None: make them, then
    cache.store(key, items)
    digest(items)                      # the set's own hash, in every result

A file that is damaged, or not what its key says, is as good as none. Which items belong to the set
is not decided here.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rgenv.text import level_name
from rgenv.types import Problem

log = logging.getLogger(__name__)

SCHEMA = 1
"""Raised with every change of what labels.py or levels.py make: old items are made again."""


def cache_folder(configured: str | None) -> Path:
    """Where sets are kept: as configured, else in the user's cache."""
    if configured is not None:
        return Path(configured)
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "reasoning_gym_environment"


def item_id(item: Problem) -> str:
    """What an item is called in samples, the same in every run with the same set."""
    return f"{item.task}/{item.seed}/{level_name(item.level)}"


def digest(items: Iterable[Problem]) -> str:
    """16 hex digits that change when any item, prompt or answer does; the order does not count."""
    lines = sorted(f"{item_id(item)} {item.prompt_hash:x} {item.answer!r}" for item in items)
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


class ItemCache:
    """One file for each task's items."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def key(self, task: str, **definition: Any) -> str:
        """The name of the items that `definition` gives; its values must be JSON-able."""
        text = json.dumps([SCHEMA, task, definition], sort_keys=True)
        return f"{task}-{hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"

    def load(self, key: str) -> list[Problem] | None:
        """The items stored under `key`, or None."""
        path = self._folder / f"{key}.json"
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            items = [Problem(**item) for item in content["items"]]
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("%s can't be used (%s); its items are made again.", path, error)
            return None
        if digest(items) != content.get("digest"):
            log.warning("%s was changed; its items are made again.", path)
            return None
        return items

    def store(self, key: str, items: Sequence[Problem]) -> None:
        """Keep items, whole or not at all; a disk that refuses costs the speed of the next run."""
        content = {"digest": digest(items), "items": [_plain(item) for item in items]}
        path = self._folder / f"{key}.json"
        working = path.with_suffix(f".{os.getpid()}.tmp")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            working.write_text(json.dumps(content), encoding="utf-8")
            working.replace(path)
        except OSError as error:
            log.info("Evaluation items can't be kept in %s (%s).", self._folder, error)


def _plain(item: Problem) -> dict[str, Any]:
    return {**asdict(item), "config": dict(item.config)}
