"""TrainMetrics: groups and counts are added, and a flat dict is taken at each report."""

from __future__ import annotations

import contextlib
import logging
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

from rgenv.rollouts.outcomes import Outcomes, rates, total_rates
from rgenv.storage.files import make_folder
from rgenv.storage.json_lines import JsonLines
from rgenv.text import refusal


class TrainMetrics:
    """Collects groups and counts between two calls of `take`.

    Args:
        categories: task -> category; tasks that are missing belong to "other".
        sends_equal: whether groups with equal rewards are sent to the trainer, too.
    """

    def __init__(
        self, categories: Mapping[str, str] | None = None, *, sends_equal: bool = False
    ) -> None:
        self.categories = dict(categories or {})
        self.sends_equal = sends_equal
        self._groups: dict[str, list[Outcomes]] = {}
        self._counts: Counter[str] = Counter()
        self.groups = 0
        self.tokens = 0

    def group(self, task: str, outcomes: Outcomes) -> None:
        self._groups.setdefault(task, []).append(outcomes)
        self.groups += 1
        self.tokens += sum(outcomes.tokens)

    def count(self, name: str, number: int = 1) -> None:
        """Add to the count that is reported as ``train/<name>``."""
        self._counts[name] += number

    def rates(self) -> dict[str, float]:
        """Return the rates since the last `take`, without their prefix; empty without a group."""
        groups = [group for groups in self._groups.values() for group in groups]
        return rates(groups, sends_equal=self.sends_equal) if groups else {}

    def take(self) -> dict[str, float]:
        by_task, counts = self._groups, self._counts
        self._groups, self._counts = {}, Counter()
        out: dict[str, float] = {f"train/{name}": number for name, number in counts.items()}
        if by_task:
            out |= self._total([group for groups in by_task.values() for group in groups])
            out |= verdict_metrics(
                {task: [k for g in groups for k in g.kinds] for task, groups in by_task.items()}
            )
        for task, groups in by_task.items():
            out |= self._rates(f"train/{task}", groups)
            out[f"train/{task}/groups"] = len(groups)
        for category, groups in self._by_category(by_task).items():
            out |= self._rates(f"train/category/{category}", groups)
        return out

    def _total(self, groups: Sequence[Outcomes]) -> dict[str, float]:
        return {
            **self._rates("train", groups),
            **{f"train/{name}": value for name, value in total_rates(groups).items()},
        }

    def _rates(self, prefix: str, groups: Sequence[Outcomes]) -> dict[str, float]:
        found = rates(groups, sends_equal=self.sends_equal)
        return {f"{prefix}/{name}": value for name, value in found.items()}

    def _by_category(self, by_task: Mapping[str, list[Outcomes]]) -> dict[str, list[Outcomes]]:
        categories: dict[str, list[Outcomes]] = {}
        for task, groups in by_task.items():
            categories.setdefault(self.categories.get(task, "other"), []).extend(groups)
        return categories


def verdict_metrics(kinds: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Count verdicts: ``verdicts/<kind>``, and ``verdicts/<task>/<kind>`` except "scored"."""
    totals = Counter(kind for task_kinds in kinds.values() for kind in task_kinds)
    out: dict[str, float] = {f"verdicts/{kind}": number for kind, number in totals.items()}
    for task, task_kinds in kinds.items():
        unscored = Counter(kind for kind in task_kinds if kind != "scored")
        out |= {f"verdicts/{task}/{kind}": number for kind, number in unscored.items()}
    return out


# metrics.jsonl


log = logging.getLogger(__name__)

NAME = "metrics.jsonl"

DIGITS = 6
"""Significant digits of a number; more would double the size of the file. The time has all."""


class MetricsFile:
    """Appends objects to a file that is created with the first one, in a folder that may change."""

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder
        self._path: Path | None = None
        self._failing = False

    def append(self, row: Mapping[str, Any]) -> None:
        """Append the texts and finite numbers of one report.

        A disk that refuses is logged when it begins to, and the report is lost.
        """
        values = {k: _short(v) for k, v in row.items() if _belongs(v)}
        if isinstance(row.get("time"), Real):
            values["time"] = round(float(row["time"]), 3)
        path = Path(NAME)
        try:
            path = self._folder() / NAME
            make_folder(path.parent)
            with contextlib.closing(JsonLines(path, shared=True)) as file:
                file.append(values)
        except OSError as error:
            if not self._failing:
                name = path if path.name != str(path) else error.filename  # of the folder
                log.error("Metrics can't be written to %s (%s).", name, refusal(error))
            self._failing = True
            return
        if path != self._path or self._failing:
            log.info("Metrics are written to %s.", path)
        self._path, self._failing = path, False


def _belongs(value: Any) -> bool:
    """Return whether a value is a text or a finite number; tables and pictures are neither."""
    return isinstance(value, str) or (isinstance(value, Real) and math.isfinite(value))


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value
    number = float(f"{float(value):.{DIGITS}g}")
    return int(value) if float(value).is_integer() else number
