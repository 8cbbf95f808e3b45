"""The level in [0, 1] at which the next problem of a task is made.

There are three modes: None (the task's default parameters), "random" (a uniform level from a range)
and "curriculum". The curriculum treats each task separately:

1. A task starts at its level in `start_levels`, or at `START`.
2. A completion is right if it is solved and was not cut at the token limit. Partial credit is not
   solved. What a blind policy solves at the level is taken into account (rgenv/measured.py).
3. Each group updates an estimate of the level at which the accuracy beyond luck is the target
   (level_estimate.py), whatever level its problem was made at and whenever it ends. So neither
   groups that end early nor those that were planned long ago mislead it.
4. The level is the one, in steps of 0.05, whose predicted accuracy is nearest to the target. It
   moves by at most `MAX_MOVE` for a group, up and down alike.
5. A second estimate holds the level at which `FINISHED` of the completions end before the token
   limit. The level stays below both, so a low target does not lead to levels where many completions
   are cut.

A task whose problems nothing can make harder has no level: it keeps its default parameters in every
mode. In each mode, levels whose prompts are too long are left out (room.py); a range that has no
others is left for the highest level below it.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

from rgenv.dataset.level_estimate import LevelEstimate
from rgenv.dataset.room import Room
from rgenv.measured import blind_share
from rgenv.types import SOLVED, is_level

Mode = Literal["random", "curriculum"] | None

START, MAX_MOVE = 0.3, 0.1

TARGETS = (0.1, 0.9)
"""The lowest and the highest target. Beyond them, groups can't tell whether it is reached: all of
them would be right, or all wrong."""

FINISHED = 0.8
"""The least share of completions that end before the token limit, where any level has it."""


def right_answers(scores: Sequence[float], cut: Sequence[bool]) -> list[bool]:
    return [score >= SOLVED and not end for score, end in zip(scores, cut, strict=True)]


class _Task:
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
        room: Room | None = None,
    ) -> None:
        check_target(target_accuracy)
        self.mode = mode
        self._target = target_accuracy
        self._lowest, self._highest = random_range
        self._starts = dict(start_levels)
        self._fixed = frozenset(fixed)
        self._tasks: dict[str, _Task] = {}
        self.room = Room() if room is None else room

    def level_for(self, task: str, uniform: float) -> float | None:
        """Return the level of the next problem of `task`; in random mode from `uniform`."""
        if self.mode is None or task in self._fixed:
            return None
        if self.mode == "curriculum":
            return self.current(task)
        high = min(self._highest, self.room.ceiling(task))
        low = min(self._lowest, high)
        return round(low + uniform * (high - low), 3)

    def current(self, task: str) -> float:
        level = self._tasks[task].level if task in self._tasks else self._start(task)
        return min(level, self.room.ceiling(task))

    def observe(
        self,
        task: str,
        level: float | None,
        scores: Sequence[float],
        cut: Sequence[bool] | None = None,
    ) -> float | None:
        """Add the scores of a group that reflect the model; return the new level if it moved."""
        if self.mode != "curriculum" or task in self._fixed or level is None or not scores:
            return None
        cuts = [False] * len(scores) if cut is None else list(cut)
        right = right_answers(scores, cuts)
        known = self._known(task)
        finished = len(scores) - sum(cuts)
        known.finished.observe(level, successes=finished, size=len(scores), blind=0.0)
        blind = blind_share(task, level)
        known.right.observe(level, successes=sum(right), size=len(scores), blind=blind)
        return known.level if known.move() else None

    def skipped(self, task: str, level: float | None) -> None:
        """Note that no problem could be served at a level, because all were too long, for example.

        That counts as a completion that was cut, so the level falls until problems can be served.
        """
        if self.mode != "curriculum" or task in self._fixed or level is None:
            return
        known = self._known(task)
        known.finished.observe(level, successes=0, size=1, blind=0.0)
        known.move()

    def _known(self, task: str) -> _Task:
        if task not in self._tasks:
            self._tasks[task] = _Task(self._target, self._start(task))
        return self._tasks[task]

    def _start(self, task: str) -> float:
        return self._starts.get(task, START)

    def levels(self) -> dict[str, float]:
        return {task: self.current(task) for task in sorted(self._tasks)}

    def state_dict(self) -> dict[str, Any]:
        tasks = {
            task: {
                "level": known.level,
                "right": known.right.state(),
                "finished": known.finished.state(),
            }
            for task, known in self._tasks.items()
        }
        return {"tasks": tasks, "room": self.room.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace the state: a task that the state knows goes on at the level that it has there."""
        self.room.load_state_dict(state["room"])
        self._tasks = {}
        for task, saved in state["tasks"].items():
            if saved["level"] is None or not is_level(saved["level"]):
                raise ValueError(f"{saved['level']!r:.40} is no level")
            known = self._tasks[task] = _Task(self._target, float(saved["level"]))
            known.right.load(saved["right"])
            known.finished.load(saved["finished"])


def check_target(target: float) -> float:
    """Return the target accuracy of a curriculum; raise ValueError if it can't be reached."""
    low, high = TARGETS
    if not low <= target <= high:
        raise ValueError(
            f"a curriculum can't tell whether an accuracy of {target} is reached; "
            f"choose a target from {low} to {high}"
        )
    return target
