"""The result of a profile: what to train on, and from which level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rgenv.profiling.verdicts import ERROR, HOPELESS, VERDICTS, Verdict, dead_below
from rgenv.profiling.walk import Cell, Cells, Level, with_inferred
from rgenv.text import level_name

GRID = [round(0.05 * step, 2) for step in range(21)]
"""Levels at which the curriculum may start."""

WEIGHTS: Mapping[Verdict, float] = {"learnable": 1.0, "undecided": 0.5}
"""Verdict on a task that is trained -> its weight."""


@dataclass(frozen=True)
class TaskResult:
    """What is trained of a task: how often (0: not at all), and from which level (None: any)."""

    verdict: Verdict
    weight: float
    start_level: float | None
    levels: Cells


@dataclass(frozen=True)
class Profile:
    about: Mapping[str, Any]
    tasks: dict[str, TaskResult]
    group_size: int
    completions: int

    @classmethod
    def of(
        cls,
        about: Mapping[str, Any],
        found: Mapping[str, Cells],
        *,
        group_size: int,
        completions: int,
        target: float,
    ) -> Profile:
        """Sum up what was found; the curriculum steers to the accuracy `target`."""
        tasks = {task: _task(with_inferred(cells), target) for task, cells in found.items()}
        return cls(about, tasks, group_size, completions)

    @property
    def cells(self) -> list[Cell]:
        return [cell for task in self.tasks.values() for cell in task.levels.values()]

    @property
    def asked(self) -> int:
        return sum(cell.counts.trials for cell in self.cells)

    @property
    def tokens(self) -> int:
        """The tokens of all completions, without their prompts."""
        return sum(cell.counts.tokens for cell in self.cells)

    @property
    def levels(self) -> list[Level]:
        found = {level for task in self.tasks.values() for level in task.levels}
        return sorted(found, key=lambda level: -1.0 if level is None else level)

    @property
    def by_verdict(self) -> dict[Verdict, list[str]]:
        """Verdict -> tasks, verdicts without any left out."""
        found = {v: [name for name, task in self.tasks.items() if task.verdict == v]
                 for v in VERDICTS}  # fmt: skip
        return {verdict: names for verdict, names in found.items() if names}

    @property
    def trained(self) -> list[str]:
        return [name for name, task in self.tasks.items() if task.weight]

    def as_json(self) -> dict[str, Any]:
        return {
            "about": dict(self.about),
            "completions_per_cell": self.completions,
            "error": ERROR,
            "group_size": self.group_size,
            "dead_below": dead_below(self.group_size),
            "completions_asked": self.asked,
            "tokens_used": self.tokens,
            "tasks": {
                name: {
                    "verdict": task.verdict,
                    "weight": task.weight,
                    "start_level": task.start_level,
                    "levels": {level_name(x): cell.as_json() for x, cell in task.levels.items()},
                }
                for name, task in self.tasks.items()
            },
        }


def _task(levels: Cells, target: float) -> TaskResult:
    found = _verdict(levels)
    weight = WEIGHTS.get(found, 0.0)
    if found == "undecided" and not any(
        cell.verdict == "undecided" and cell.counts.right for cell in levels.values()
    ):
        weight = 0.0
    return TaskResult(found, weight, _start_level(levels, target) if weight else None, levels)


def _verdict(levels: Cells) -> Verdict:
    """Return the verdict on a task.

    A task is learnable if it is at any level, or if it is mastered at one and hopeless at a higher
    one, because then it is learnable in between.
    """
    found = [cell.verdict for cell in levels.values() if cell.verdict is not None]
    leveled = {cell.verdict for level, cell in levels.items() if level is not None}
    if "learnable" in found or ("mastered" in leveled and leveled & {*HOPELESS}):
        return "learnable"
    if "undecided" in found:
        return "undecided"
    return next((verdict for verdict in found if verdict != "mastered"), "mastered")


def _start_level(levels: Cells, target: float) -> float | None:
    """Return the highest level that is predicted to reach the target, beyond luck.

    Between the levels that are known, the accuracy is interpolated. If none reaches the target,
    it is the lowest level that is worth training.
    """
    cells = {level: cell for level, cell in levels.items() if level is not None}
    points = sorted((x, cell.accuracy) for x, cell in cells.items() if cell.accuracy is not None)
    if not points:
        return None
    known, accuracies = zip(*points, strict=True)
    for level in reversed(GRID):
        is_between = known[0] <= level <= known[-1]
        if is_between and np.interp(level, known, accuracies) >= target - 1e-9:
            return level
    return min((x for x, cell in cells.items() if cell.verdict in WEIGHTS), default=known[0])
