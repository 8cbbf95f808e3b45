"""At which level in [0, 1] the next problem of a task is made.

Three modes: None (the task's default parameters), "random" (uniform in a range), "curriculum". The
rule of the curriculum, for each task by itself:

1. A task starts at `START` and moves in steps of `STEP`.
2. Only groups whose problem was made at the task's present level are heard.
3. After `MIN_GROUPS` of them with `MIN_SCORES` scores, their mean is compared with the target; when
   it is `FAR` off, `FEW_GROUPS` are enough.
4. More than `MARGIN` above it the level rises a step, more than `MARGIN` below it falls a step.
5. Whenever the level moves, what was heard before is forgotten.

What a level means for a task is decided in levels.py. Whoever counts what became of levels does so
in `BANDS` bands.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Literal

Mode = Literal["random", "curriculum"] | None

START = 0.3
STEP = 0.05
MARGIN = 0.1
MIN_GROUPS = 4
MIN_SCORES = 32
FEW_GROUPS, FEW_SCORES, FAR = 2, 16, 0.35
MAX_GROUPS = 16
"""Evidence older than this many groups at one level no longer counts."""

BANDS = 5
Band = int | None
"""Which part of the scale; None for a task's default parameters."""

SCHEMA = 1


def band_of(level: float | None) -> Band:
    """The band that a level lies in."""
    return None if level is None else _band(level)


def _band(level: float) -> int:
    return min(BANDS - 1, int(level * BANDS))


class Difficulty:
    """Chooses levels, and in curriculum mode learns from what became of them."""

    def __init__(
        self,
        mode: Mode,
        *,
        target_accuracy: float = 0.7,
        random_range: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        self.mode = mode
        self._target = target_accuracy
        self._lowest, self._highest = random_range
        self._steps: dict[str, int] = {}
        self._heard: dict[str, deque[tuple[float, int]]] = {}

    def level_for(self, task: str, uniform: float, band: Band = None) -> float | None:
        """The level of the next problem of `task`.

        Args:
            uniform: in [0, 1), decides in random mode.
            band: one of `bands(task)`, to stay inside it; None: the whole range.
        """
        if self.mode is None:
            return None
        if self.mode == "curriculum":
            return self.current(task)
        low, high = self._lowest, self._highest
        if band is not None:
            low, high = max(low, band / BANDS), min(high, (band + 1) / BANDS)
        return round(low + uniform * (high - low), 3)

    def bands(self, task: str) -> list[Band]:
        """Where the next problem of `task` may lie, lowest first."""
        if self.mode == "random":
            return list(range(_band(self._lowest), _band(self._highest) + 1))
        return [band_of(self.level_for(task, 0.0))]

    def current(self, task: str) -> float:
        """The curriculum's present level of `task`."""
        return round(self._steps.get(task, round(START / STEP)) * STEP, 4)

    def observe(self, task: str, level: float | None, scores: Sequence[float]) -> float | None:
        """Hear of one group.

        Args:
            level: the level its problem was made at.
            scores: the scores that say something about the policy; none at all is no evidence.

        Returns:
            The new level if this group made it move, else None.
        """
        if self.mode != "curriculum" or level != self.current(task) or not scores:
            return None
        heard = self._heard.setdefault(task, deque(maxlen=MAX_GROUPS))
        heard.append((float(sum(scores)), len(scores)))
        count = sum(number for _, number in heard)
        excess = sum(total for total, _ in heard) / count - self._target
        enough = (
            len(heard) == MAX_GROUPS
            or (len(heard) >= MIN_GROUPS and count >= MIN_SCORES)
            or (len(heard) >= FEW_GROUPS and count >= FEW_SCORES and abs(excess) > FAR)
        )
        if not enough or abs(excess) <= MARGIN:
            return None
        return self._move(task, 1 if excess > 0 else -1)

    def can_follow(self, task: str, scores: Sequence[float]) -> bool:
        """Whether more groups like this one would move the task's level."""
        if self.mode != "curriculum" or not scores:
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
        self._heard[task].clear()
        return self.current(task)

    def levels(self) -> dict[str, float]:
        """The present level of every task that was ever heard of; for metrics."""
        return {task: self.current(task) for task in sorted(self._heard)}

    def state_dict(self) -> dict[str, Any]:
        """JSON-able state: what `load_state_dict` needs to go on as if nothing had happened."""
        return {
            "schema": SCHEMA,
            "steps": dict(self._steps),
            "heard": {task: [list(group) for group in h] for task, h in self._heard.items()},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over a state.

        Raises:
            ValueError: the state was written by a version with another schema.
        """
        if state.get("schema") != SCHEMA:
            raise ValueError(
                f"difficulty state has schema {state.get('schema')}, expected {SCHEMA}"
            )
        self._steps = {task: int(steps) for task, steps in state["steps"].items()}
        self._heard = {
            task: deque(((float(total), int(n)) for total, n in heard), maxlen=MAX_GROUPS)
            for task, heard in state["heard"].items()
        }
