"""Entries as the library makes them, and as corrections serve them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import reasoning_gym

from rgenv.worker.levels import level_config

Entry = dict[str, Any]

LEVELS = (None, 0.0, 0.25, 0.5, 0.75, 1.0)


@cache
def made(task: str, level: float | None, count: int) -> tuple[Entry, ...]:
    """Return entries of the library at a level, None for its default parameters."""
    config = {} if level is None else level_config(task, level)
    dataset = reasoning_gym.create_dataset(task, size=count, seed=1000, **config)
    return tuple({**dataset[index], "seed": 1000 + index} for index in range(count))


def served(
    correction: Callable[[Entry], Entry | None], task: str, level: float | None, count: int
) -> list[Entry]:
    """Return what a correction makes of entries at a level."""
    results = [correction(entry) for entry in made(task, level, count)]
    return [entry for entry in results if entry is not None]


def share(entries: list[Entry], answer: str) -> float:
    """Return the share of entries that have a reference answer."""
    return sum(entry["answer"] == answer for entry in entries) / len(entries)
