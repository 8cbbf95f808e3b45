"""TrainMetrics: groups and counts are added, and a flat dict is taken at each report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rgenv.rollouts.outcomes import Outcomes, rates, total_rates


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
        """Add one scored group."""
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
        """Return all metrics since the last call and start anew."""
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
