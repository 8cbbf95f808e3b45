"""The level in [0, 1] at which the next problem of a task is made.

There are three modes: None (the task's default parameters), "random" (a uniform level from a range)
and "curriculum". The curriculum treats each task separately:

1. A task starts at its level in `start_levels`, or at `START`.
2. A completion is right if it is solved and was not cut at the token limit. What a blind policy
   solves at the level is taken into account (rgenv/measured.py).
3. Each group updates an estimate of the level at which the accuracy beyond luck is the target
   (level_estimate.py), whatever level its problem was made at and whenever it ends.
4. The level is the one, in steps of 0.05, whose predicted accuracy is nearest to the target. It
   moves by at most `MAX_MOVE` for a group, up and down alike.
5. A second estimate holds the level at which `FINISHED` of the completions end before the token
   limit. The level stays below both. A problem whose prompt is too long to be asked counts as a
   completion that was cut.

A task whose problems nothing can make harder keeps its default parameters in every mode.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Literal, NamedTuple

import msgspec

from rgenv.measured import blind_share
from rgenv.stream.level_estimate import LevelEstimate
from rgenv.types import SOLVED

Mode = Literal["random", "curriculum"] | None

START, MAX_MOVE = 0.3, 0.1

TARGETS = (0.1, 0.9)
"""The lowest and the highest target. Beyond them, groups can't tell whether it is reached."""

FINISHED = 0.8
"""The least share of completions that end before the token limit, where any level has it."""

Count = Annotated[int, msgspec.Meta(ge=0)]
Level = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Evidence(NamedTuple):
    """What one group showed: of `size` completions whose scores reflect the model, `right` are
    solved and were not cut at the token limit."""

    task: str
    level: Level | None
    right: Count
    cut: Count
    size: Count

    @classmethod
    def of(
        cls, task: str, level: float | None, scores: Sequence[float], cut: Sequence[bool] | None
    ) -> "Evidence":
        """Return what the scores of a group show; `cut`: which completions were cut."""
        cuts = [False] * len(scores) if cut is None else cut
        right = sum(score >= SOLVED and not end for score, end in zip(scores, cuts, strict=True))
        return cls(task, level, right, sum(cuts), len(scores))

    def completions(self) -> tuple[list[float], list[bool]]:
        """Return scores of completions that show the same, and which were cut."""
        scores = [1.0] * self.right + [0.0] * (self.size - self.right)
        return scores, [False] * (self.size - self.cut) + [True] * self.cut


class TaskState(msgspec.Struct):
    """A task as a state has it: its level, and both estimates."""

    level: Level
    right: bytes
    finished: bytes


class _TaskLevel:
    def __init__(self, target: float, level: float) -> None:
        self.level = level
        # Wide enough to reach either end in a few groups.
        self.right = LevelEstimate(target=target, start=level + 0.1, spread=0.4)
        # Completions are taken to end before the limit at every level until some do not.
        self.finished = LevelEstimate(target=FINISHED, start=1.5, spread=0.1)

    def move(self) -> bool:
        """Move the level towards the estimates; return whether it moved."""
        best = min(self.right.best_level(), self.finished.best_level())
        before = self.level
        self.level = round(min(before + MAX_MOVE, max(before - MAX_MOVE, best)), 4)
        return self.level != before


class Difficulty:
    """Chooses levels; in curriculum mode it adapts them to the scores."""

    def __init__(
        self,
        mode: Mode,
        *,
        target_accuracy: float = 0.7,
        random_range: tuple[float, float] = (0.0, 1.0),
        start_levels: Mapping[str, float] = MappingProxyType({}),
        fixed: Collection[str] = (),
    ) -> None:
        self.mode = mode
        self._target = target_accuracy
        self._lowest, self._highest = random_range
        self._starts = dict(start_levels)
        self._fixed = frozenset(fixed)
        self._tasks: dict[str, _TaskLevel] = {}

    def level_for(self, task: str, uniform: float) -> float | None:
        """Return the level of the next problem of `task`; in random mode from `uniform`."""
        if self.mode is None or task in self._fixed:
            return None
        if self.mode == "curriculum":
            return self.current(task)
        return round(self._lowest + uniform * (self._highest - self._lowest), 3)

    def current(self, task: str) -> float:
        """Return the level of a task in the curriculum."""
        known = self._tasks.get(task)
        return self._starts.get(task, START) if known is None else known.level

    def learn(self, group: Evidence) -> float | None:
        """Add a group of this or another process; return the new level if it moved."""
        task, level, right, cut, size = group
        known = self._adapting(task, level)
        if known is None or level is None or not size:
            return None
        known.finished.observe(level, successes=size - cut, size=size, blind=0.0)
        known.right.observe(level, successes=right, size=size, blind=blind_share(task, level))
        return known.level if known.move() else None

    def unasked(self, task: str, level: float | None) -> None:
        """Note that a problem could not be asked at a level, as if its completion had been cut."""
        known = self._adapting(task, level)
        if known is not None and level is not None:
            known.finished.observe(level, successes=0, size=1, blind=0.0)
            known.move()

    def _adapting(self, task: str, level: float | None) -> _TaskLevel | None:
        """Return the task if its level adapts to what its problems show."""
        if self.mode != "curriculum" or task in self._fixed or level is None:
            return None
        if task not in self._tasks:
            self._tasks[task] = _TaskLevel(self._target, self.current(task))
        return self._tasks[task]

    def levels(self) -> dict[str, float]:
        return {task: self.current(task) for task in sorted(self._tasks)}

    def state(self) -> dict[str, TaskState]:
        return {
            task: TaskState(known.level, known.right.state(), known.finished.state())
            for task, known in self._tasks.items()
        }

    def load(self, state: Mapping[str, TaskState]) -> None:
        """Replace the state: a task that the state knows goes on at the level that it has there."""
        self._tasks = {}
        for task, saved in state.items():
            known = self._tasks[task] = _TaskLevel(self._target, saved.level)
            known.right.load(saved.right)
            known.finished.load(saved.finished)
