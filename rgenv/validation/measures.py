"""What is measured at a level besides single answers: shares, policies and work.

::

    Share(3, 20).interval    # (0.05, 0.36): where the true share lies, with 95 % confidence

Not here: the rules about these numbers (health.py), and how they are measured (probe.py).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, pstdev

Z = 1.96
"""Standard deviations in half of a 95 % interval."""


@dataclass(frozen=True)
class Share:
    """A number of cases out of a total, such as solved problems."""

    count: int
    total: int

    @property
    def value(self) -> float:
        """The share; 0.0 without cases."""
        return self.count / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval: where the true share lies, with 95 % confidence."""
        if not self.total:
            return 0.0, 1.0
        n, share = self.total, self.value
        centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
        half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
        return max(0.0, centre - half), min(1.0, centre + half)

    @property
    def at_least(self) -> float:
        """The lower end of the interval."""
        return self.interval[0]


@dataclass(frozen=True)
class Policy:
    """A way to answer without solving: a rule, or one constant answer.

    Attributes:
        name: the rule, or the answer.
        solved: the problems that it solves, of all of its level.
    """

    name: str
    solved: Share


@dataclass(frozen=True)
class Work:
    """The mean work of the problems of a level, and its standard error."""

    mean: float
    error: float


def best_policy(solved_by: Sequence[Iterable[str]]) -> Policy | None:
    """Return the policy that solves the most problems; None if none solves any.

    Args:
        solved_by: for each problem, the names of the rules that solve it.
    """
    counts = Counter(name for names in solved_by for name in names)
    if not counts:
        return None
    name, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return Policy(name, Share(count, len(solved_by)))


def top_answer(references: Sequence[str]) -> Policy | None:
    """Return the most frequent reference answer; None without any."""
    if not references:
        return None
    [(answer, count)] = Counter(references).most_common(1)
    return Policy(answer, Share(count, len(references)))


def mean_work(amounts: Sequence[float]) -> Work | None:
    """Return the mean of the measured amounts; None if fewer than two are known."""
    if len(amounts) < 2:
        return None
    return Work(fmean(amounts), pstdev(amounts) / math.sqrt(len(amounts) - 1))


def first_fall(works: Mapping[float, Work]) -> tuple[float, float] | None:
    """Return the first two levels between which the work does not rise; None if it always rises.

    A step must not fall by more than its error, and the last level takes more than the first.
    """
    steps = sorted(works.items())
    for (low, before), (high, after) in pairwise(steps):
        if before.mean - after.mean > Z * math.hypot(before.error, after.error):
            return low, high
    if len(steps) > 1:
        (low, first), (high, last) = steps[0], steps[-1]
        if last.mean <= first.mean:
            return low, high
    return None
