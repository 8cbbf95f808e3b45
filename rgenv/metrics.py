"""What happened since the last report: counters in, a flat dict of numbers out.

::

    metrics = TrainMetrics()
    metrics.group("gcd", scores=[1.0, 0.0], kinds=["scored", "no_answer"], truncated=[False, False])
    metrics.take()    # {"train/percent_correct": 0.5, "train/format_rate": 0.5, ...}

Names are the ones that people's dashboards know where there are such. No averages over time here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rgenv.rewards import CORRECT


class TrainMetrics:
    """Everything counted between two calls of `take`."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self._correct: list[float] = []
        self._truncated: list[float] = []
        self._scores: dict[str, list[float]] = {}
        self._kinds: Counter[tuple[str, str]] = Counter()
        self._counts: Counter[str] = Counter()

    def group(
        self, task: str, *, scores: Sequence[float], kinds: Sequence[str], truncated: Sequence[bool]
    ) -> None:
        """Count one scored group: scores before the length penalty, verdict kinds, cut or not."""
        for score, kind, cut in zip(scores, kinds, truncated, strict=True):
            self._correct.append(float(score >= CORRECT))
            self._truncated.append(float(cut))
            self._scores.setdefault(task, []).append(score)
            self._kinds[task, kind] += 1

    def count(self, name: str, number: int = 1) -> None:
        """Count something that has a name of its own, such as items that could not be made."""
        self._counts[name] += number

    def take(self) -> dict[str, float]:
        """All numbers since the last call, and a clean slate."""
        out: dict[str, float] = {f"train/{name}": number for name, number in self._counts.items()}
        if self._correct:
            out["train/percent_correct"] = _mean(self._correct)
            out["train/truncation_rate"] = _mean(self._truncated)
            out |= {f"train/{task}/score": _mean(s) for task, s in self._scores.items()}
            out |= verdict_metrics(self._kinds)
            no_answer = sum(n for (_, kind), n in self._kinds.items() if kind == "no_answer")
            out["train/format_rate"] = 1.0 - no_answer / len(self._correct)
        self._reset()
        return out


def verdict_metrics(kinds: Mapping[tuple[str, str], int]) -> dict[str, float]:
    """``verdicts/<kind>`` in all, and ``verdicts/<task>/<kind>`` where it was not plain scoring."""
    totals: Counter[str] = Counter()
    for (_, kind), number in kinds.items():
        totals[kind] += number
    out: dict[str, float] = {f"verdicts/{kind}": number for kind, number in totals.items()}
    for (task, kind), number in kinds.items():
        if kind != "scored":
            out[f"verdicts/{task}/{kind}"] = number
    return out


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
