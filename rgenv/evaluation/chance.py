"""What chance explains at a level of 95 %: intervals of a share, tests of a change, their power.

scipy is imported late, because that takes a second and no training needs it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

ALPHA = 0.05
"""The share of intervals that may miss the true value."""

Z = NormalDist().inv_cdf(1 - ALPHA / 2)
"""Standard deviations in half of a 95 % interval."""

LARGEST_COUNT = 1e6
"""Counts above this are scaled down, where the interval is narrower than 0.002 anyway."""

LARGEST_WORK = 30_000_000
"""Additions for an exact distribution; more differences have a normal one to four digits."""

MIN_PROBLEMS = 10
"""A change over fewer problems is reported as neither better nor worse."""

POWER = 0.8
"""The share of changes of the stated size that are found."""

Z_POWER = NormalDist().inv_cdf(POWER)

LARGE = 150
"""Problems above which the normal distribution replaces the exact one."""


# The interval of a share


def share_interval(count: float, total: float) -> tuple[float, float]:
    """Return the 95 % interval of a share of which `count` of `total` cases were observed.

    It holds every share that the two-sided mid-P test does not reject (Lancaster 1961): the
    probability of the observed count counts half, and the tail on the other side begins at the
    mirror image of the count. That makes the coverage as near to 95 % as a count allows. For all
    shares from .02 to .98 it is at least .90 with 5 problems or more; that of Wilson's is .84.

    Both numbers may be fractions: `total` is an effective number of cases.
    """
    return _lower_end(count, total), 1.0 - _lower_end(total - count, total)


@lru_cache(maxsize=1 << 16)
def _lower_end(count: float, total: float) -> float:
    from scipy.optimize import brentq

    if count <= 1e-9:
        return 0.0
    if total > LARGEST_COUNT:
        count, total = count * LARGEST_COUNT / total, LARGEST_COUNT

    def excess(share: float) -> float:
        mirrored = 2 * total * share - count
        return _upper_tail(count, total, share) + 1.0 - _upper_tail(mirrored, total, share) - ALPHA

    observed = min(1.0, count / total)
    least, most = 1e-12 * observed, (1 - 1e-12) * observed
    return 0.0 if excess(least) > 0 else float(brentq(excess, least, most, xtol=1e-12))


def _upper_tail(count: float, total: float, share: float) -> float:
    """Return P(X > count) + P(X = count) / 2, continued between whole numbers."""
    from scipy.special import betainc, gammaln, xlog1py, xlogy

    if count >= total + 1:
        return 0.0
    if count <= -1:
        return 1.0
    ways = gammaln(total + 1) - gammaln(count + 1) - gammaln(total - count + 1)
    chance = math.exp(ways + xlogy(count, share) + xlog1py(total - count, -share))
    if total > count:
        above = betainc(count + 1, total - count, share)
    else:
        above = betainc(count, total - count + 1, share) - chance
    return min(1.0, max(0.0, float(above) + chance / 2))


# Tests of a change


class PairedTest(NamedTuple):
    """A p-value, and the smallest that this many differences could have had."""

    p_value: float
    smallest: float


def sign_flip_test(differences: Sequence[float]) -> PairedTest:
    """Test whether the differences have a mean of 0, two-sided.

    If nothing changed, each difference is as likely to be its opposite. The p-value is the share of
    all signs that lead to a sum as far from 0 as the observed one (Fisher 1935); for one completion
    of each problem it is the exact sign test.

    Args:
        differences: fractions of small numbers of completions, such as 0.25; zeros are ignored.
    """
    parts = [Fraction(d).limit_denominator(10_000) for d in differences if abs(d) > 1e-9]
    if not parts:
        return PairedTest(1.0, 1.0)
    scale = math.lcm(*(part.denominator for part in parts))
    units = [int(part * scale) for part in parts]
    smallest = max(0.5 ** (len(units) - 1), 5e-324)
    if len({abs(unit) for unit in units}) == 1:
        wins = sum(unit > 0 for unit in units)
        return PairedTest(_sign_test(wins, len(units)), smallest)
    if len(units) * sum(map(abs, units)) > LARGEST_WORK:
        values = list(map(float, parts))  # their scale may be larger than any float
        distance = abs(math.fsum(values)) / math.hypot(*values)
        return PairedTest(math.erfc(distance / math.sqrt(2)), smallest)
    return PairedTest(_exact(units), smallest)


@lru_cache(maxsize=1 << 16)
def _sign_test(wins: int, count: int) -> float:
    from scipy.stats import binomtest

    return float(binomtest(wins, count).pvalue)


def _exact(units: Sequence[int]) -> float:
    """Return the share of all signs whose sum is at least as far from 0."""
    reach = sum(map(abs, units))
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for unit in map(abs, units):
        moved = np.zeros_like(chances)
        moved[unit:] += chances[:-unit] / 2
        moved[:-unit] += chances[unit:] / 2
        chances = moved
    observed = abs(sum(units))
    tail = math.fsum(chances[reach + observed :])
    return 1.0 if observed == 0 else min(1.0, 2 * tail)


def marked(tests: Mapping[str, PairedTest], level: float = ALPHA) -> set[str]:
    """Return the names of those whose change is more than chance, corrected for their number.

    If nothing changed, any name is returned in at most a share of `level` of all cases; otherwise
    at most that share of the returned names is false, on average. The false discovery rate is
    controlled (Benjamini and Hochberg 1995) among the tests that could reach significance at all
    (Gilbert 2005): one with few differences can't, whatever their signs are.
    """
    from scipy.stats import false_discovery_control

    smallest = sorted(test.smallest for test in tests.values())
    count = 1
    while bisect_right(smallest, level / count) > count:
        count += 1
    able = [name for name, test in tests.items() if test.smallest <= level / count]
    corrected = false_discovery_control([tests[name].p_value for name in able]) if able else []
    return {name for name, p_value in zip(able, corrected, strict=True) if p_value <= level}


# Power


def detectable(half_width: float, *, runs: int = 2) -> float:
    """Return the change of accuracy between two runs that is found in 80 % of cases.

    Args:
        half_width: half of a 95 % interval.
        runs: 2 if that is the interval of the accuracy of each run. Their errors are taken as
            independent, so over the same problems smaller changes are found, too. 1 if it is the
            interval of the change itself.
    """
    return min(1.0, math.sqrt(runs) * (Z + Z_POWER) / Z * half_width)


def detectable_in_a_task(problems: int, *, tests: int) -> float | None:
    """Return the change of a task's accuracy, around one half, that is marked in 80 % of cases."""
    from scipy.optimize import brentq
    from scipy.stats import binom

    if problems > LARGE:
        critical = NormalDist().inv_cdf(1 - ALPHA / tests / 2)
        return min(1.0, (critical + Z_POWER) * math.sqrt(0.5 / problems))
    differing = np.arange(problems + 1)
    most_losses = binom.ppf(ALPHA / tests / 2, differing, 0.5) - 1  # that are significant
    if most_losses[problems] < 0:
        return None

    def excess(gain: float) -> float:
        win, loss = ((1 + gain) / 2) ** 2, ((1 - gain) / 2) ** 2
        chances = binom.pmf(differing, problems, win + loss)
        power = chances @ binom.cdf(most_losses, differing, loss / (win + loss))
        return float(power) - POWER

    return float(brentq(excess, 0.0, 1.0, xtol=0.002))
