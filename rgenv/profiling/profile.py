"""The result of a profile: cells, what to do with each task, tokens used and saved.

::

    profile = Profile.of(about, cells, samples, rules, completions=64, target=0.7)
    profile.tasks["gcd"].verdict, profile.tasks["gcd"].start_level     # "learnable", 0.35
    profile.used, profile.saved

Tokens are those of completions, as the server counts them; prompts do not count. `used` has all
that came back. The whole grid would have taken `completions` of them in each cell: where fewer were
asked, the mean length of the cell stands for each of the others; where none were, that of the
nearest level of the task that was asked, or else of all completions. `saved` is the difference.
Completions of harder problems are longer as a rule, so what dead tasks save is rather more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from rgenv.dataset.blind import beyond_blind
from rgenv.profiling.bounds import bounds
from rgenv.profiling.profiler import Cells
from rgenv.profiling.verdicts import HOPELESS, VERDICTS, Counts, Rules, Verdict, further
from rgenv.profiling.walk import Cell, Level, inferred
from rgenv.text import level_name
from rgenv.types import Sample

GRID = [round(0.05 * step, 2) for step in range(21)]
"""Levels at which the curriculum may start."""

WEIGHTS: Mapping[Verdict, float] = {"learnable": 1.0, "undecided": 0.5}
"""Verdict on a task that is trained -> its weight."""

LONG, GROWTH, BLOCK = 0.99, 2.0, 256
"""Room is left for `GROWTH` times the length that this share of completions has at most, because
completions grow in training; rounded up to a multiple of `BLOCK` tokens."""


@dataclass(frozen=True)
class CellResult:
    """A task at a level.

    Attributes:
        from_level: the level whose verdict this one follows from; None: it was asked.
        low, high: the interval of the share right, which holds whenever the asking stopped.
        further: more completions that would decide an undecided cell; None: not foreseeable.
        further_tokens: about so many tokens.
    """

    task: str
    level: Level
    verdict: Verdict
    from_level: float | None
    counts: Counts
    blind: float
    low: float
    high: float
    further: int | None = None
    further_tokens: int | None = None

    @property
    def was_asked(self) -> bool:
        """Whether any completion says something about it."""
        return self.counts.trials > 0


@dataclass(frozen=True)
class TaskResult:
    """A task.

    Attributes:
        weight: how often to train it; 0: not at all.
        start_level: where its curriculum starts; None: it has no levels, or is not trained.
    """

    verdict: Verdict
    weight: float
    start_level: float | None
    cells: list[CellResult]


@dataclass(frozen=True)
class Profile:
    """A finished profile.

    Attributes:
        about: what defines it; JSON-able.
        tasks: name -> result, in the order in which they were given.
        used, whole: tokens of completions that were generated, and that the whole grid would take.
        needed_length: tokens of prompt and completion that trained tasks need room for; None if
            nothing is known.
    """

    about: Mapping[str, Any]
    rules: Rules
    tasks: dict[str, TaskResult]
    completions: int
    asked: int
    used: int
    whole: int
    needed_length: int | None

    @classmethod
    def of(
        cls,
        about: Mapping[str, Any],
        found: Mapping[str, Cells],
        samples: Iterable[Sample],
        rules: Rules,
        *,
        completions: int,
        target: float,
    ) -> Profile:
        """Sum up what was found.

        Args:
            found: task -> level -> cell.
            completions: the most completions of a cell.
            target: the accuracy that the curriculum steers to.
        """
        listed = list(samples)
        results = {task: _cells(task, cells, rules) for task, cells in found.items()}
        tasks = {task: _task(cells, rules, target) for task, cells in results.items()}
        used = sum(sample.get("completion_tokens") or 0 for sample in listed)
        trained = {task for task, result in tasks.items() if result.weight}
        return cls(
            about=about,
            rules=rules,
            tasks=tasks,
            completions=completions,
            asked=len(listed),
            used=used,
            whole=max(used, _whole(results.values(), completions)),
            needed_length=_needed_length(s for s in listed if s["task"] in trained),
        )

    @property
    def saved(self) -> int:
        """Tokens that the whole grid would have taken besides."""
        return self.whole - self.used

    @property
    def cells(self) -> list[CellResult]:
        """All cells."""
        return [cell for task in self.tasks.values() for cell in task.cells]

    @property
    def levels(self) -> list[Level]:
        """All levels, the default parameters first."""
        found = {cell.level for cell in self.cells}
        return sorted(found, key=lambda level: -1.0 if level is None else level)

    def with_verdict(self, verdict: Verdict) -> list[str]:
        """Return the tasks with a verdict."""
        return [name for name, task in self.tasks.items() if task.verdict == verdict]

    @property
    def trained(self) -> list[str]:
        """The tasks to train on."""
        return [name for name, task in self.tasks.items() if task.weight]

    def as_json(self) -> dict[str, Any]:
        """Return everything, JSON-able."""
        return {
            "about": dict(self.about),
            "completions_per_cell": self.completions,
            "error": self.rules.error,
            "group_size": self.rules.group_size,
            "dead_below": self.rules.dead,
            "completions_asked": self.asked,
            "tokens_used": self.used,
            "tokens_of_whole_grid": self.whole,
            "tokens_saved": self.saved,
            "needed_length": self.needed_length,
            "tasks": {
                name: {
                    "verdict": task.verdict,
                    "weight": task.weight,
                    "start_level": task.start_level,
                    "levels": {level_name(cell.level): _cell_json(cell) for cell in task.cells},
                }
                for name, task in self.tasks.items()
            },
        }


def _cell_json(cell: CellResult) -> dict[str, Any]:
    fields = asdict(cell)
    counts = fields.pop("counts")
    del fields["task"], fields["level"]
    return {**fields, **counts, "share": cell.counts.share}


def _cells(task: str, cells: Cells, rules: Rules) -> list[CellResult]:
    found = {level: cell.verdict for level, cell in cells.items() if cell.verdict is not None}
    others = inferred(found, cells)
    return [_cell(task, level, cell, others.get(level), rules) for level, cell in cells.items()]


def _cell(
    task: str, level: Level, cell: Cell, other: tuple[Verdict, float] | None, rules: Rules
) -> CellResult:
    counts = cell.counts
    found, source = other if other is not None else (cell.verdict or "undecided", None)
    if found == "guessable" and source is not None and not cell.blind:
        found = "dead"
    more = further(counts, rules, blind=cell.blind) if found == "undecided" else None
    low, high = bounds(counts.right, counts.trials, error=rules.error)
    return CellResult(
        task=task,
        level=level,
        verdict=found,
        from_level=source,
        counts=counts,
        blind=cell.blind,
        low=low,
        high=high,
        further=more,
        further_tokens=None if more is None else round(more * (counts.length or 0.0)),
    )


def _task(cells: list[CellResult], rules: Rules, target: float) -> TaskResult:
    found = _task_verdict(cells)
    hopeful = [c for c in cells if c.verdict == "undecided" and c.counts.right]
    weight = WEIGHTS.get(found, 0.0)
    if found == "undecided" and not hopeful:
        weight = 0.0
    start = _start_level(cells, target) if weight else None
    return TaskResult(found, weight, start, cells)


def _task_verdict(cells: list[CellResult]) -> Verdict:
    """Return the verdict on a task.

    A task is learnable if it is at any level, or if it is mastered at one and hopeless at a higher
    one, because then it is learnable in between.
    """
    found = {cell.verdict for cell in cells}
    leveled = {cell.verdict for cell in cells if cell.level is not None}
    if "learnable" in found or ("mastered" in leveled and leveled & {*HOPELESS}):
        return "learnable"
    if "undecided" in found:
        return "undecided"
    return next((cell.verdict for cell in cells if cell.verdict != "mastered"), "mastered")


def _start_level(cells: list[CellResult], target: float) -> float | None:
    """Return the highest level that is predicted to reach the target, beyond luck.

    Between the levels that are known, the accuracy is interpolated. If none reaches the target,
    it is the lowest level that is worth training.
    """
    points = sorted(
        (cell.level, accuracy)
        for cell in cells
        if cell.level is not None and (accuracy := _accuracy(cell)) is not None
    )
    if not points:
        return None
    lowest, highest = points[0][0], points[-1][0]
    for level in reversed(GRID):
        if lowest <= level <= highest and _interpolated(points, level) >= target:
            return level
    worth = [c.level for c in cells if c.level is not None and c.verdict in WEIGHTS]
    return min(worth) if worth else lowest


def _accuracy(cell: CellResult) -> float | None:
    """Return the accuracy beyond luck of a cell; None if it is only known to be in between."""
    if cell.from_level is None:
        return beyond_blind(cell.counts.share, blind=cell.blind) if cell.was_asked else None
    return {"mastered": 1.0, "learnable": None}.get(cell.verdict, 0.0)


def _interpolated(points: list[tuple[float, float]], level: float) -> float:
    below = [point for point in points if point[0] <= level]
    above = [point for point in points if point[0] >= level]
    (low, before), (high, after) = below[-1], above[0]
    return before if low == high else before + (after - before) * (level - low) / (high - low)


def _whole(tasks: Iterable[list[CellResult]], completions: int) -> int:
    """Return about how many tokens the whole grid takes."""
    listed = list(tasks)
    asked = [cell.counts.length for cells in listed for cell in cells if cell.was_asked]
    overall = fmean(length for length in asked if length is not None) if asked else 0.0
    total = 0.0
    for cells in listed:
        for cell in cells:
            nearest = min(
                (other for other in cells if other.was_asked),
                key=lambda other: abs((other.level or 0.0) - (cell.level or 0.0)),
                default=None,
            )
            length = overall if nearest is None else nearest.counts.length or 0.0
            rest = max(0, completions - cell.counts.trials)
            total += cell.counts.tokens + rest * length
    return round(total)


def _needed_length(samples: Iterable[Sample]) -> int | None:
    """Return how many tokens of prompt and completion to leave room for."""
    lengths: list[int] = sorted(
        sample["prompt_tokens"] + (sample["completion_tokens"] or 0)
        for sample in samples
        if isinstance(sample.get("prompt_tokens"), int) and sample["finish_reason"] != "length"
    )
    if not lengths:
        return None
    long = lengths[math.ceil(LONG * len(lengths)) - 1]
    return math.ceil(GROWTH * long / BLOCK) * BLOCK


def count_by_verdict(profile: Profile) -> dict[Verdict, int]:
    """Return verdict -> number of tasks, those without any left out."""
    found = {verdict: len(profile.with_verdict(verdict)) for verdict in VERDICTS}
    return {verdict: count for verdict, count in found.items() if count}
