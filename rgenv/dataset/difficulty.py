"""The level in [0, 1] at which the next problem of a task is made.

There are three modes: None (the task's default parameters), "random" (a uniform level from a range)
and "curriculum". The curriculum treats each task separately:

1. A task starts at level `START` and moves in steps of `STEP`.
2. Only groups whose problem was made at the task's current level count as evidence.
3. The mean score is compared with the target once there are `MIN_GROUPS` groups with `MIN_SCORES`
   scores. `FEW_GROUPS` groups with `FEW_SCORES` scores are enough if the mean is more than `FAR`
   from the target.
4. The level rises by one step if the mean is more than `MARGIN` above the target, and falls by one
   step if it is more than `MARGIN` below.
5. When the level moves, the evidence is discarded.

A task whose problems nothing can make harder has no level: it keeps its default parameters in every
mode. For statistics, the scale of levels is divided into `BANDS` bands.

Not here: the task parameters that a level stands for (worker/levels.py).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

Mode = Literal["random", "curriculum"] | None

START = 0.3
STEP = 0.05
MARGIN = 0.1
MIN_GROUPS = 4
MIN_SCORES = 32
FEW_GROUPS, FEW_SCORES, FAR = 2, 16, 0.35
MAX_GROUPS = 16
"""The curriculum looks at this many of the last groups at one level."""

BANDS = 5
Band = int | None
"""A part of the scale of levels, counted from 0; None for a task's default parameters."""

SCHEMA = 1


def band_of(level: float | None) -> Band:
    """Return the band that contains a level."""
    return None if level is None else _band(level)


def _band(level: float) -> int:
    return min(BANDS - 1, int(level * BANDS))


class Difficulty:
    """Chooses levels; in curriculum mode it adapts them to the scores.

    Args:
        target_accuracy: the mean score that the curriculum aims at.
        random_range: the lowest and the highest level in random mode.
        fixed: tasks that have no levels.
    """

    def __init__(
        self,
        mode: Mode,
        *,
        target_accuracy: float = 0.7,
        random_range: tuple[float, float] = (0.0, 1.0),
        fixed: Collection[str] = (),
    ) -> None:
        self.mode = mode
        self._target = target_accuracy
        self._lowest, self._highest = random_range
        self._fixed = frozenset(fixed)
        self._steps: dict[str, int] = {}
        self._evidence: dict[str, deque[tuple[float, int]]] = {}

    def level_for(self, task: str, uniform: float, band: Band = None) -> float | None:
        """Return the level of the next problem of `task`.

        Args:
            uniform: a number in [0, 1) that determines the level in random mode.
            band: one of `bands(task)`, which limits the level in random mode; None for the whole
                range.
        """
        if self.mode is None or task in self._fixed:
            return None
        if self.mode == "curriculum":
            return self.current(task)
        low, high = self._lowest, self._highest
        if band is not None:
            low, high = max(low, band / BANDS), min(high, (band + 1) / BANDS)
        return round(low + uniform * (high - low), 3)

    def bands(self, task: str) -> list[Band]:
        """Return the bands that the next problem of `task` can be made in, lowest first."""
        if self.mode == "random" and task not in self._fixed:
            return list(range(_band(self._lowest), _band(self._highest) + 1))
        return [band_of(self.level_for(task, 0.0))]

    def current(self, task: str) -> float:
        """Return the curriculum's current level of `task`."""
        return round(self._steps.get(task, round(START / STEP)) * STEP, 4)

    def observe(self, task: str, level: float | None, scores: Sequence[float]) -> float | None:
        """Add the scores of one group to the evidence, and move the level if there is enough.

        Args:
            level: the level at which the group's problem was made.
            scores: the scores that reflect the model. An empty list is no evidence.

        Returns:
            The new level if it moved, else None.
        """
        if self.mode != "curriculum" or level != self.current(task) or not scores:
            return None
        evidence = self._evidence.setdefault(task, deque(maxlen=MAX_GROUPS))
        evidence.append((float(sum(scores)), len(scores)))
        count = sum(number for _, number in evidence)
        excess = sum(total for total, _ in evidence) / count - self._target
        enough = (
            len(evidence) == MAX_GROUPS
            or (len(evidence) >= MIN_GROUPS and count >= MIN_SCORES)
            or (len(evidence) >= FEW_GROUPS and count >= FEW_SCORES and abs(excess) > FAR)
        )
        if not enough or abs(excess) <= MARGIN:
            return None
        return self._move(task, 1 if excess > 0 else -1)

    def can_follow(self, task: str, scores: Sequence[float]) -> bool:
        """Return whether more groups with such scores would move the level of `task`."""
        if self.mode != "curriculum" or task in self._fixed or not scores:
            return False
        excess = sum(scores) / len(scores) - self._target
        end = 1.0 if excess > 0 else 0.0
        return abs(excess) > MARGIN and self.current(task) != end

    def _move(self, task: str, steps: int) -> float | None:
        before = round(self.current(task) / STEP)
        after = min(round(1 / STEP), max(0, before + steps))
        if after == before:
            return None
        self._steps[task] = after
        self._evidence[task].clear()
        return self.current(task)

    def levels(self) -> dict[str, float]:
        """Return the current level of each task that was ever observed, for metrics."""
        return {task: self.current(task) for task in sorted(self._evidence)}

    def state_dict(self) -> dict[str, Any]:
        """Return a JSON-able state from which `load_state_dict` continues exactly."""
        return {
            "schema": SCHEMA,
            "steps": dict(self._steps),
            "heard": {task: [list(group) for group in e] for task, e in self._evidence.items()},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace the state.

        Raises:
            ValueError: the state has another schema.
        """
        if state.get("schema") != SCHEMA:
            raise ValueError(
                f"difficulty state has schema {state.get('schema')}, expected {SCHEMA}"
            )
        self._steps = {task: int(steps) for task, steps in state["steps"].items()}
        self._evidence = {
            task: deque(((float(total), int(n)) for total, n in evidence), maxlen=MAX_GROUPS)
            for task, evidence in state["heard"].items()
        }
