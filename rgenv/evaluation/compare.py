"""Two evaluations compared, item by item: what got better, what got worse.

paired(earlier_samples, samples).tasks_that_got("worse")
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean as mean

from rgenv.evaluation.metrics import Estimate, Item, estimate, items
from rgenv.types import Sample

FEWEST = 3
"""With fewer items in both runs, no task is said to be better or worse."""


@dataclass(frozen=True)
class Change:
    """Differences, now less earlier, over items that are in both runs.

    `earlier` and `now` are the accuracies themselves.
    """

    earlier: float
    now: float
    accuracy: Estimate
    score: Estimate

    @property
    def verdict(self) -> str:
        """``better`` or ``worse`` where the interval of the accuracy excludes 0, else empty."""
        if self.accuracy.items < FEWEST:
            return ""
        return "better" * (self.accuracy.low > 0) + "worse" * (self.accuracy.high < 0)


@dataclass(frozen=True)
class Comparison:
    """Two runs on the same items.

    `changed` items have one id in both runs but another question, so they are not compared.
    """

    overall: Change | None
    categories: Mapping[str, Change]
    tasks: Mapping[str, Change]
    only_earlier: int
    only_now: int
    changed: int

    def tasks_that_got(self, verdict: str) -> dict[str, Change]:
        """Tasks that are ``better`` or ``worse``, most changed first."""
        some = [(task, c) for task, c in self.tasks.items() if c.verdict == verdict]
        return dict(sorted(some, key=lambda row: (-abs(row[1].accuracy.mean), row[0])))


def paired(earlier: Iterable[Sample], now: Iterable[Sample]) -> Comparison:
    """Compare two runs item by item; an item without a score counts as not there."""
    before, after = ({item.key: item for item in items(run)} for run in (earlier, now))
    shared = [(before[key], after[key]) for key in sorted(before.keys() & after.keys())]
    pairs = [(old, new) for old, new in shared if old.question == new.question]
    categories: dict[str, list[tuple[Item, Item]]] = {}
    tasks: dict[str, list[tuple[Item, Item]]] = {}
    for pair in pairs:
        categories.setdefault(pair[1].category, []).append(pair)
        tasks.setdefault(pair[1].task, []).append(pair)
    return Comparison(
        overall=_change(pairs) if pairs else None,
        categories={name: _change(some) for name, some in sorted(categories.items())},
        tasks={name: _change(some) for name, some in sorted(tasks.items())},
        only_earlier=len(before) - len(shared),
        only_now=len(after) - len(shared),
        changed=len(shared) - len(pairs),
    )


def _change(pairs: Sequence[tuple[Item, Item]]) -> Change:
    return Change(
        earlier=mean(old.accuracy for old, _ in pairs),
        now=mean(new.accuracy for _, new in pairs),
        accuracy=estimate([new.accuracy - old.accuracy for old, new in pairs]),
        score=estimate([new.score - old.score for old, new in pairs]),
    )
