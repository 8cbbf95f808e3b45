"""Exact tests of whether a change over the same problems is more than chance.

::

    test = sign_flip_test([0.5, -0.5, 1.0, 0.0])    # later minus earlier, problem by problem
    test.p_value, test.smallest                     # 0.75, 0.25
    marked({"gcd": test, "maze": other})            # names of those that changed

If nothing changed, each difference is as likely to be its opposite. The p-value is the share of all
signs that lead to a sum as far from 0 as the observed one (Fisher 1935); for one completion of each
problem it is the exact sign test.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rgenv.evaluation.binomial import ALPHA, binomial_p_value

LARGEST_WORK = 30_000_000
"""Additions for an exact distribution; more differences have a normal one to four digits."""


class PairedTest(NamedTuple):
    """A p-value, and the smallest that this many differences could have had."""

    p_value: float
    smallest: float


def sign_flip_test(differences: Sequence[float]) -> PairedTest:
    """Test whether the differences have a mean of 0, two-sided.

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
        return PairedTest(binomial_p_value(wins, len(units) - wins), smallest)
    if len(units) * sum(map(abs, units)) > LARGEST_WORK:
        distance = abs(sum(units)) / math.sqrt(sum(unit * unit for unit in units))
        return PairedTest(math.erfc(distance / math.sqrt(2)), smallest)
    return PairedTest(_exact(units), smallest)


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
