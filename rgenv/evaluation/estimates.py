"""Means over the problems of an evaluation, with 95 % intervals, and whether two runs differ.

The problems of a task at a level are a random sample; tasks and levels are fixed. Problems of one
family, which only symmetries tell apart, may be solved together, so each family is one draw. The
variance of a mean comes from the families within each task and level. A share then has Jeffreys'
interval for the number of problems, solved or not, that would have this variance; a change has
Student's interval, and is tested by how many families got better and how many got worse.

scipy is imported late: it takes a second, and no training needs it.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from rgenv.evaluation.results import ProblemResult

ALPHA = 0.05
"""The share of intervals that may miss the true value, and of marked changes that may be chance."""

Value = Callable[[ProblemResult], float]
"""A number in [0, 1] of a problem."""

Pair = tuple[ProblemResult, ProblemResult]
"""The results of the earlier and of the later run for one problem."""

accuracy: Value = attrgetter("accuracy")
mean_score: Value = attrgetter("mean_score")


class Estimate(NamedTuple):
    mean: float
    low: float
    high: float


def estimate(results: Sequence[ProblemResult], value: Value, *, macro: bool = False) -> Estimate:
    """Return the mean of a value over results, at least one, with its interval.

    Args:
        macro: give the same weight to each task instead of each problem.
    """
    from scipy.special import betaincinv, ndtri, stdtrit

    spread = _spread(results, [value(result) for result in results], macro=macro)
    mean, number = min(1.0, max(0.0, spread.mean)), spread.families
    if spread.variance:
        inflated = (stdtrit(spread.freedom, 1 - ALPHA / 2) / ndtri(1 - ALPHA / 2)) ** 2
        found = mean * (1 - mean) / spread.variance / inflated
        number = max(number, found)  # families differ no more than by being solved or not
    solved, other = mean * number + 0.5, (1 - mean) * number + 0.5
    low = float(betaincinv(solved, other, ALPHA / 2)) if mean > 0 else 0.0
    high = float(betaincinv(solved, other, 1 - ALPHA / 2)) if mean < 1 else 1.0
    return Estimate(mean, min(low, mean), max(high, mean))


def change(pairs: Sequence[Pair]) -> Estimate:
    """Return the mean change of the accuracy over problems that two runs share, at least one."""
    from scipy.special import stdtrit

    spread = _spread([new for _, new in pairs], [new.accuracy - old.accuracy for old, new in pairs])
    if spread.variance:
        reach = float(stdtrit(spread.freedom, 1 - ALPHA / 2)) * math.sqrt(spread.variance)
    else:  # all changed alike: the largest share that may have changed otherwise, unseen
        reach = 1 - (ALPHA / 2) ** (1 / spread.families)
    return Estimate(spread.mean, max(-1.0, spread.mean - reach), min(1.0, spread.mean + reach))


def p_value(pairs: Sequence[Pair]) -> float:
    """Return the chance of so many families on one side if each were as likely on the other.

    This is McNemar's exact test (1947) of those whose accuracy changed.
    """
    from scipy.stats import binomtest

    changes: dict[object, float] = defaultdict(float)
    for old, new in pairs:
        changes[new.kin] += new.accuracy - old.accuracy
    better = sum(gain > 1e-9 for gain in changes.values())
    worse = sum(gain < -1e-9 for gain in changes.values())
    return float(binomtest(better, better + worse).pvalue) if better + worse else 1.0


def more_than_chance(p_values: Mapping[str, float]) -> set[str]:
    """Return the names that changed; on average at most one of 20 of them did not.

    This controls the false discovery rate (Benjamini and Hochberg 1995).
    """
    from scipy.stats import false_discovery_control

    corrected = false_discovery_control(list(p_values.values())) if p_values else []
    return {name for name, p in zip(p_values, corrected, strict=True) if p <= ALPHA}


def share_interval(count: int, total: int) -> tuple[float, float]:
    """Return the interval of a share of independent cases (Wilson 1927)."""
    from scipy.stats import binomtest

    if not total:
        return 0.0, 1.0
    found = binomtest(count, total).proportion_ci(1 - ALPHA, method="wilson")
    return float(found.low), float(found.high)


class _Spread(NamedTuple):
    """A mean and its variance, with its degrees of freedom; the families of equal weight in it."""

    mean: float
    variance: float
    freedom: int
    families: float


def _spread(
    results: Sequence[ProblemResult], values: Sequence[float], *, macro: bool = False
) -> _Spread:
    sizes = Counter(result.task if macro else "" for result in results)
    kin: dict[object, set[object]] = defaultdict(set)
    for result in results:
        kin[result.task, result.level].add(result.kin)
    strata = defaultdict(list)
    for result, value in zip(results, values, strict=True):
        weight = 1 / len(sizes) / sizes[result.task if macro else ""]
        stratum = result.task, result.level
        # The variance of a single family is unknown, so such strata are taken together.
        strata[stratum if len(kin[stratum]) > 1 else None].append((result, value, weight))
    mean, variance, squares, freedom = 0.0, 0.0, 0.0, 0
    for members in strata.values():
        total = math.fsum(weight for _, _, weight in members)
        centre = math.fsum(weight * value for _, value, weight in members) / total
        parts: dict[object, float] = defaultdict(float)
        weights: dict[object, float] = defaultdict(float)
        for result, value, weight in members:
            parts[result.kin] += weight * (value - centre)
            weights[result.kin] += weight
        mean += total * centre
        squares += math.fsum(weight**2 for weight in weights.values())
        freedom += (count := len(parts)) - 1
        variance += math.fsum(part**2 for part in parts.values()) * count / max(1, count - 1)
    return _Spread(round(mean, 12), variance if variance > 1e-12 else 0.0, freedom, 1 / squares)
