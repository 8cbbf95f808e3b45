"""The metrics of a run as columns of numbers, thinned so that any run stays small."""

import math
import re
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from rgenv.rollouts.saved_lines import MetricsRow

MAX_POINTS = 100
"""Points of a series; of more reports, neighbours become one point."""

MEANS = frozenset(
    {
        *"train/reward train/score train/accuracy train/format_rate".split(),
        *"train/truncation_rate train/informative_rate train/gradient_tokens".split(),
        *"curriculum/avg_complexity eval/accuracy status/tokens_per_second".split(),
    }
)
"""Metrics that are kept; besides them tokens by fate, and each task's accuracy and groups."""

LARGEST = 1e300
"""A chart can't have larger numbers; none of ours is."""

_FATE = re.compile(r"tokens/(?!trained_share)")
_TASK = re.compile(r"train/([^/]+)/(accuracy|groups)")

Numbers = list[float | None]


class Run:
    """The reports of one run, in the order in which they were written."""

    def __init__(self) -> None:
        self._times, self._steps = array("d"), array("d")
        self._columns: dict[str, array[float]] = {}

    @property
    def reports(self) -> int:
        return len(self._steps)

    @property
    def last(self) -> float:
        return self._times[-1]

    def add(self, row: MetricsRow) -> None:
        before = len(self._steps)
        self._times.append(max(row.time, self._times[-1] if before else row.time))
        self._steps.append(row.step)
        for name, value in row.values.items():
            if name in MEANS or _FATE.match(name) or _TASK.fullmatch(name):
                column = self._columns.setdefault(name, array("d"))
                column.extend([math.nan] * (before - len(column)))
                column.append(value)

    def step_of(self, time: float) -> float | None:
        """Return the step of the first report after a time; None if there is none yet."""
        place = bisect_left(self._times, time)
        return self._steps[place] if place < len(self._steps) else None

    def columns(self) -> dict[str, Any]:
        """Return the steps, and series of equal length, in which None stands for no value.

        A second report of a step, as at the end of a run, belongs to the point of the first.
        """
        steps = self._steps
        starts = [n for n in range(len(steps)) if n == 0 or steps[n] != steps[n - 1]]
        merged = math.ceil(len(starts) / MAX_POINTS)
        ends = [*starts[merged::merged], len(steps)]
        points = [range(*ends) for ends in zip(starts[::merged], ends, strict=True)]
        tasks = sorted({match[1] for name in self._columns if (match := _TASK.fullmatch(name))})
        groups = {task: self._known(f"train/{task}/groups", 0) for task in tasks}
        weights = [sum(numbers) or 1 for numbers in zip(*groups.values(), strict=True)]
        series: dict[str, Numbers] = {}
        for name in sorted(self._columns):
            if name in MEANS:
                series[name] = _means(self._known(name), weights or [1] * len(steps), points)
            elif not _TASK.fullmatch(name):  # it adds up since the start
                series[name] = [short(self._known(name)[point[-1]]) for point in points]
        by_task: dict[str, list[Numbers]] = {}
        for task, numbers in groups.items():
            accuracy, weights = self._known(f"train/{task}/accuracy"), [n or 1 for n in numbers]
            counts = [short(sum(numbers[n] for n in point)) for point in points]
            by_task[task] = [_means(accuracy, weights, points), counts]
        return {
            "steps": [short(steps[point[-1]]) for point in points],
            "merged": merged,
            "series": series,
            "tasks": by_task,
        }

    def _known(self, name: str, otherwise: float = math.nan) -> list[float]:
        """Return the values of a metric in all reports."""
        column = self._columns.get(name, array("d"))
        values = [*column, *[math.nan] * (len(self._steps) - len(column))]
        return [otherwise if math.isnan(value) else value for value in values]


def _means(values: Sequence[float], weights: Sequence[float], points: Sequence[range]) -> Numbers:
    found: Numbers = []
    for point in points:
        known = [(values[n], weights[n]) for n in point if not math.isnan(values[n])]
        whole = sum(weight for _, weight in known)
        found.append(short(sum(v * w for v, w in known) / whole) if whole else None)
    return found


def short(number: float | None) -> float | None:
    """Return a number with few digits, as an integer if it is one; None for what no page shows."""
    if number is None or not abs(number) < LARGEST:  # NaN, too
        return None
    rounded = float(f"{number:.6g}")
    return int(rounded) if rounded.is_integer() else rounded
