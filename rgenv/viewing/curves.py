"""The metrics of a run as columns of numbers, thinned so that any run stays small."""

import re
from array import array
from bisect import bisect_left
from typing import Any

from rgenv.runtime.saved_lines import MetricsRow

MAX_POINTS = 400
"""Reports of a run that are kept; of twice as many, each two become one."""

SERIES = (
    *"train/reward train/score train/accuracy".split(),
    *"train/format_rate train/truncation_rate train/informative_rate".split(),
    *"train/gradient_tokens train/informative_tokens curriculum/avg_complexity".split(),
    *"eval/accuracy eval/macro_accuracy status/tokens_per_second".split(),
)
"""Metrics that are kept; besides them tokens by fate, and each task's accuracy and groups."""

LARGEST = 1e300
"""A chart can't have larger numbers; none of ours is."""

NOT_A_FATE = frozenset({"tokens/trained_share"})
_TASK = re.compile(r"train/([^/]+)/(accuracy|groups)")


class Run:
    """The reports of one run, in the order in which they were written."""

    def __init__(self) -> None:
        self._reports: list[dict[str, float]] = []
        self.reports = 0
        self._merged = 1
        self._open = 0
        self._times, self._steps = array("d"), array("d")

    def add(self, row: MetricsRow) -> None:
        """Add a report; one of the same step, as at the end of a run, adds to the one before."""
        is_rest = bool(self._reports) and self._steps[-1] == row.step
        self._times.append(max(row.time, self._times[-1] if self._times else row.time))
        self._steps.append(row.step)
        self.reports += 1
        report = {name: value for name, value in row.values.items() if _is_kept(name)}
        report["step"] = row.step
        if self._open or is_rest:
            self._reports[-1] = _joined(self._reports[-1], report)
        else:
            self._reports.append(report)
        if is_rest:
            return
        self._open = (self._open + 1) % self._merged
        if len(self._reports) >= 2 * MAX_POINTS and not self._open:
            pairs = zip(self._reports[::2], self._reports[1::2], strict=True)
            self._reports = [_joined(*pair) for pair in pairs]
            self._merged *= 2

    @property
    def last(self) -> float:
        return self._times[-1]

    def step_of(self, time: float) -> float | None:
        """Return the step of the first report after a time; None if there is none yet."""
        place = bisect_left(self._times, time)
        return self._steps[place] if place < len(self._steps) else None

    def columns(self) -> dict[str, Any]:
        """Return the steps, and series of equal length, in which None stands for no value."""
        names = {name for report in self._reports for name in report} - {"step"}
        tasks = sorted({match[1] for name in names if (match := _TASK.fullmatch(name))})
        return {
            "steps": self._column("step"),
            "merged": self._merged,
            "series": {n: self._column(n) for n in sorted(names) if not _TASK.fullmatch(n)},
            "tasks": {
                task: [self._column(f"train/{task}/{name}") for name in ("accuracy", "groups")]
                for task in tasks
            },
        }

    def _column(self, name: str) -> list[float | None]:
        return [_short(report.get(name)) for report in self._reports]


def _short(number: float | None) -> float | None:
    if number is None or not abs(number) < LARGEST:  # NaN, too: means may overflow
        return None
    return float(f"{number:.5g}") if abs(number) < 1e5 else round(number)


def _is_kept(name: str) -> bool:
    if name.startswith("tokens/"):
        return name not in NOT_A_FATE
    return name in SERIES or _TASK.fullmatch(name) is not None


def _joined(first: dict[str, float], second: dict[str, float]) -> dict[str, float]:
    """Return one report for two: counts add up, rates are means over groups."""
    out = {**first, **second}
    weights = [_groups(first), _groups(second)]
    for name in out:
        match = _TASK.fullmatch(name)
        if match is not None and match[2] == "groups":
            out[name] = first.get(name, 0) + second.get(name, 0)
        elif name in first and name in second and name.startswith("train/"):
            if match is not None:
                groups = f"train/{match[1]}/groups"
                one, other = first.get(groups, 1), second.get(groups, 1)
            else:
                one, other = weights
            total = one + other
            if total > 0:
                out[name] = (one * first[name] + other * second[name]) / total
    return out


def _groups(report: dict[str, float]) -> float:
    matches = ((_TASK.fullmatch(name), value) for name, value in report.items())
    return sum(v for match, v in matches if match is not None and match[2] == "groups") or 1.0
