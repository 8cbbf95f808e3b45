"""Comparing two evaluations, problem by problem.

::

    comparison = compare_runs(earlier_samples, samples)
    comparison.overall.accuracy.mean          # +0.04
    comparison.changed_tasks("worse")         # {"maze": Change(...)}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from rgenv.evaluation.metrics import (
    Estimate,
    ProblemResult,
    by_category,
    by_task,
    estimate,
    problem_results,
)
from rgenv.types import Sample

MIN_PROBLEMS = 3
"""A change over fewer problems is reported as neither better nor worse."""


@dataclass(frozen=True)
class Change:
    """The change of accuracy and score over the problems that both runs scored.

    Attributes:
        earlier: accuracy of the earlier run.
        now: accuracy of the later run.
        accuracy: paired difference of the accuracies, later minus earlier.
        score: paired difference of the mean scores.
    """

    earlier: float
    now: float
    accuracy: Estimate
    score: Estimate

    @property
    def verdict(self) -> str:
        """``better`` or ``worse`` if the interval of the accuracy excludes 0, else empty."""
        if self.accuracy.problems < MIN_PROBLEMS:
            return ""
        if self.accuracy.low > 0:
            return "better"
        return "worse" if self.accuracy.high < 0 else ""


@dataclass(frozen=True)
class Comparison:
    """Two runs compared on the problems that both of them scored.

    Attributes:
        overall: None if the runs share no problem.
        only_earlier: number of problems that only the earlier run scored.
        only_now: number of problems that only the later run scored.
        changed: number of problems left out because their id now has another question.
    """

    overall: Change | None
    categories: Mapping[str, Change]
    tasks: Mapping[str, Change]
    only_earlier: int
    only_now: int
    changed: int

    def changed_tasks(self, verdict: str) -> dict[str, Change]:
        """Return the tasks with that verdict, ``better`` or ``worse``, most changed first."""
        rows = [(task, change) for task, change in self.tasks.items() if change.verdict == verdict]
        return dict(sorted(rows, key=lambda row: (-abs(row[1].accuracy.mean), row[0])))


Pair = tuple[ProblemResult, ProblemResult]
"""The results of the earlier and of the later run for one problem."""


def compare_runs(earlier: Iterable[Sample], now: Iterable[Sample]) -> Comparison:
    """Compare two runs problem by problem; samples without a score do not count."""
    before, after = ({r.problem_id: r for r in problem_results(run)} for run in (earlier, now))
    shared = [(before[name], after[name]) for name in sorted(before.keys() & after.keys())]
    pairs = [(old, new) for old, new in shared if old.question == new.question]
    return Comparison(
        overall=_change(pairs) if pairs else None,
        categories=_changes(pairs, by_category),
        tasks=_changes(pairs, by_task),
        only_earlier=len(before) - len(shared),
        only_now=len(after) - len(shared),
        changed=len(shared) - len(pairs),
    )


def _changes(pairs: Sequence[Pair], key: Callable[[ProblemResult], str]) -> dict[str, Change]:
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(key(pair[1]), []).append(pair)
    return {name: _change(members) for name, members in sorted(groups.items())}


def _change(pairs: Sequence[Pair]) -> Change:
    return Change(
        earlier=fmean(old.accuracy for old, _ in pairs),
        now=fmean(new.accuracy for _, new in pairs),
        accuracy=estimate([new.accuracy - old.accuracy for old, new in pairs]),
        score=estimate([new.mean_score - old.mean_score for old, new in pairs]),
    )
