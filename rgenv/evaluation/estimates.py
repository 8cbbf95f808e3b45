"""Means over the problems of an evaluation, with 95 % intervals, and whether two runs differ.

The problems of a task at a level are a random sample; tasks and levels are fixed. Problems of one
family, which only symmetries tell apart, may be solved together, so each family is one draw. The
variance of a mean comes from the families within each task and level. A share then has Jeffreys'
interval for the number of problems, solved or not, that would have this variance; a change has
Student's interval.

scipy is imported late: it takes a second, and no training needs it.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from rgenv.evaluation.results import ProblemResult

ALPHA = 0.05
"""The share of intervals that may miss the true value, and of marked changes that may be chance."""

RESAMPLES, LARGE = 4999, 50
"""Random signs of a permutation test; more changes than `LARGE` have the normal distribution."""

Value = Callable[[ProblemResult], float]
"""A number in [0, 1] of a problem."""

Pair = tuple[ProblemResult, ProblemResult]
"""The results of the earlier and of the later run for one problem."""

accuracy: Value = attrgetter("accuracy")
mean_score: Value = attrgetter("mean_score")


@dataclass(frozen=True)
class Estimate:
    mean: float
    low: float
    high: float
    problems: int


def estimate(results: Sequence[ProblemResult], value: Value, *, macro: bool = False) -> Estimate:
    """Return the mean of a value over results, at least one, with its interval.

    Args:
        macro: give the same weight to each task instead of each problem.
    """
    from scipy.stats import beta, t

    spread = _Spread.of(results, [value(result) for result in results], macro=macro)
    mean, number = min(1.0, max(0.0, spread.mean)), spread.families
    if spread.variance:
        known, estimated = t.ppf(1 - ALPHA / 2, [math.inf, spread.freedom])
        found = mean * (1 - mean) / spread.variance * (known / estimated) ** 2
        number = max(number, found)  # families differ no more than by being solved or not
    low, high = beta.interval(1 - ALPHA, mean * number + 0.5, (1 - mean) * number + 0.5)
    low, high = float(low) if mean > 0 else 0.0, float(high) if mean < 1 else 1.0
    return Estimate(mean, min(low, mean), max(high, mean), len(results))


def change(pairs: Sequence[Pair], value: Value) -> Estimate:
    """Return the mean change of a value over problems that two runs share, at least one."""
    from scipy.stats import t

    spread = _Spread.of([new for _, new in pairs], [value(new) - value(old) for old, new in pairs])
    if spread.variance:
        reach = float(t.ppf(1 - ALPHA / 2, spread.freedom)) * math.sqrt(spread.variance)
    else:  # all changed alike: the largest share that may have changed otherwise, unseen
        reach = 1 - (ALPHA / 2) ** (1 / spread.families)
    low, high = max(-1.0, spread.mean - reach), min(1.0, spread.mean + reach)
    return Estimate(spread.mean, low, high, len(pairs))


def p_value(pairs: Sequence[Pair], value: Value) -> float:
    """Return the chance of a change as large if each family's were as likely its opposite."""
    from scipy.stats import norm, permutation_test

    changes: dict[object, float] = defaultdict(float)
    for old, new in pairs:
        changes[_family(new)] += value(new) - value(old)
    gains = [gain for gain in changes.values() if abs(gain) > 1e-9]
    if len(gains) < 2:
        return 1.0
    if len(gains) > LARGE:
        return float(2 * norm.sf(abs(math.fsum(gains)) / math.hypot(*gains)))
    found = permutation_test(
        (gains,),
        lambda sample, axis: sample.sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        random_state=0,
    )
    return float(found.pvalue)


def more_than_chance(p_values: Mapping[str, float]) -> set[str]:
    """Return the names that changed; on average at most one of 20 of them did not.

    This controls the false discovery rate (Benjamini and Hochberg 1995).
    """
    from scipy.stats import false_discovery_control

    corrected = false_discovery_control(list(p_values.values())) if p_values else []
    return {name for name, p in zip(p_values, corrected, strict=True) if p <= ALPHA}


def share_interval(count: int, total: int) -> tuple[float, float]:
    """Return the interval of a share, of which independent cases were observed (Wilson 1927)."""
    from scipy.stats import binomtest

    if not total:
        return 0.0, 1.0
    found = binomtest(count, total).proportion_ci(1 - ALPHA, method="wilson")
    return float(found.low), float(found.high)


@dataclass(frozen=True)
class _Spread:
    """A mean, its variance with the degrees of freedom, and how many families of equal weight it
    is worth."""

    mean: float
    variance: float
    freedom: int
    families: float

    @classmethod
    def of(
        cls, results: Sequence[ProblemResult], values: Sequence[float], *, macro: bool = False
    ) -> "_Spread":
        sizes = Counter(result.task if macro else "" for result in results)
        kin: dict[object, set[object]] = defaultdict(set)
        for result in results:
            kin[result.task, result.level].add(_family(result))
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
                parts[_family(result)] += weight * (value - centre)
                weights[_family(result)] += weight
            mean += total * centre
            squares += math.fsum(weight**2 for weight in weights.values())
            freedom += (count := len(parts)) - 1
            variance += math.fsum(part**2 for part in parts.values()) * count / max(1, count - 1)
        return cls(round(mean, 12), variance if variance > 1e-12 else 0.0, freedom, 1 / squares)


def _family(result: ProblemResult) -> object:
    return result.task, result.level, result.family or result.problem_id
