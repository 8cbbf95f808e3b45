"""Room: the levels of a task whose prompts leave room for an answer.

Whether a prompt is too long depends on task, level and luck. A level is too high if more than half
of its prompts are too long, and not only the first ones. Longer prompts come with higher levels, so
the shares of neighbouring levels are pooled where they do not fall (isotonic regression by pooling
adjacent violators; Ayer et al., Annals of Mathematical Statistics 1955). The counts of several
processes can be added in any order, if all of them have the same limit.
"""

import logging
from collections.abc import Mapping
from typing import Any

from rgenv.types import read_count

log = logging.getLogger(__name__)

BINS = 20
"""Parts of the scale of levels; level 1.0 has one for itself."""

FIRST_FEW = 5
"""So many prompts that are too long, more than half of them, show nothing yet."""

TRIES, STEPS = 3, 6
"""Prompts that are tried at the planned level of a problem, and lower levels that are tried after
them, down to the lowest."""

TRIES_OF_A_TASK = TRIES + STEPS + TRIES
"""Prompts that are tried before another task takes the place of the planned one; also those that
have to be too long before a task is given up."""

NO_LEVEL = -1


def lowered(level: float | None, misses: int) -> float | None:
    """Return the level to try next for a problem of which so many prompts were too long."""
    if level is None or misses < TRIES:
        return level
    return round(level * max(0.0, 1 - (misses - TRIES + 1) / STEPS), 3)


class Room:
    """Counts, by task and level, of prompts that leave room and of those that are too long.

    Nothing is counted of a task before its first prompt that is too long.

    Args:
        limit: stands for what decides whether a prompt is too long; another limit or tokenizer has
            another one.
    """

    def __init__(self, limit: str = "") -> None:
        self.limit = limit
        self._said = False
        self._counts: dict[str, dict[int, tuple[int, int]]] = {}
        self._ceilings: dict[str, float] = {}

    def believes(self, limit: str) -> bool:
        """Return whether counts of another process hold here; say once if some do not."""
        if limit != self.limit and not self._said:
            self._said = True
            log.warning(
                "Which levels leave room for an answer is learned anew: what was known, or what "
                "another replica says, is of another limit, tokenizer or chat template."
            )
        return limit == self.limit

    def watches(self, task: str) -> bool:
        return task in self._counts

    def observe(self, task: str, level: float | None, *, fits: int, too_long: int) -> None:
        if not too_long and (not fits or task not in self._counts):
            return
        counts = self._counts.setdefault(task, {})
        before = counts.get(_bin(level), (0, 0))
        counts[_bin(level)] = before[0] + fits, before[1] + too_long
        self._ceilings[task] = _ceiling(counts)

    def ceiling(self, task: str) -> float:
        """Return the highest level that is not too high; 0.0 if each one is."""
        return self._ceilings.get(task, 1.0)

    def serves(self, task: str) -> bool:
        """Return whether prompts at the task's lowest level, or without a level, leave room."""
        counts = self._counts.get(task, {})
        lowest = [counts.get(number, (0, 0)) for number in (NO_LEVEL, 0)]
        return all(too_long < TRIES_OF_A_TASK * (1 + fits) for fits, too_long in lowest)

    def state_dict(self) -> dict[str, Any]:
        """Return a JSON-able state: the limit, and task -> bin, fitting and too long prompts.

        It is empty if nothing is known.
        """
        tasks = {
            task: [[number, *both] for number, both in sorted(counts.items())]
            for task, counts in self._counts.items()
        }
        return {"limit": self.limit, "tasks": tasks} if tasks else {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace the state; counts of another limit are dropped."""
        tasks = state.get("tasks", {})
        if tasks and not self.believes(state["limit"]):
            tasks = {}
        self._counts = {
            task: {
                int(number): (read_count(fits), read_count(long)) for number, fits, long in counts
            }
            for task, counts in tasks.items()
        }
        self._ceilings = {task: _ceiling(counts) for task, counts in self._counts.items()}


def _bin(level: float | None) -> int:
    return NO_LEVEL if level is None else int(level * BINS + 1e-9)


def _ceiling(counts: Mapping[int, tuple[int, int]]) -> float:
    """Return the highest level below the first one that is too high."""
    pools: list[tuple[int, int, int]] = []  # first bin, fitting and too long prompts
    for number, (fits, too_long) in sorted(counts.items()):
        if number == NO_LEVEL:
            continue
        pools.append((number, fits, too_long))
        while len(pools) > 1 and _share(pools[-2]) <= _share(pools[-1]):
            _, more_fits, more_long = pools.pop()
            first, fits, too_long = pools.pop()
            pools.append((first, fits + more_fits, too_long + more_long))
    too_high = (first for first, fits, too_long in pools if too_long > fits + FIRST_FEW)
    return max(0, next(too_high, BINS + 1) - 1) / BINS


def _share(pool: tuple[int, int, int]) -> float:
    return pool[1] / (pool[1] + pool[2])
