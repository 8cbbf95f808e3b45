"""What difference an evaluation can show.

::

    detectable_in_a_task(20, tests=105)    # 0.66: changes of 66 points or more, mostly
    detectable(half_width=0.02)            # 0.04
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np

from rgenv.evaluation.binomial import ALPHA, Z

MIN_PROBLEMS = 10
"""A change over fewer problems is reported as neither better nor worse."""

POWER = 0.8
"""The share of changes of the stated size that are found."""

Z_POWER = NormalDist().inv_cdf(POWER)

LARGE = 150
"""Problems above which the normal distribution replaces the exact one."""


def detectable(half_width: float, *, runs: int = 2) -> float:
    """Return the change of accuracy between two runs that is found in 80 % of cases.

    Args:
        half_width: half of a 95 % interval.
        runs: 2 if that is the interval of the accuracy of each run. Their errors are taken as
            independent, so over the same problems smaller changes are found, too. 1 if it is the
            interval of the change itself.
    """
    return min(1.0, sqrt(runs) * (Z + Z_POWER) / Z * half_width)


def detectable_in_a_task(problems: int, *, tests: int) -> float | None:
    """Return the change of a task's accuracy, around one half, that is marked in 80 % of cases.

    Args:
        problems: of the task, with one completion each.
        tests: number of tests; the p-value must be below 0.05 / tests.

    Returns:
        A change in (0, 1]; None if even a change from 0 to 1 is not marked.
    """
    from scipy.stats import binom

    if problems > LARGE:
        critical = NormalDist().inv_cdf(1 - ALPHA / tests / 2)
        return min(1.0, (critical + Z_POWER) * sqrt(0.5 / problems))
    differing = np.arange(problems + 1)
    most_losses = binom.ppf(ALPHA / tests / 2, differing, 0.5) - 1  # that are significant
    if most_losses[problems] < 0:
        return None

    def power(gain: float) -> float:
        win, loss = ((1 + gain) / 2) ** 2, ((1 - gain) / 2) ** 2
        chances = binom.pmf(differing, problems, win + loss)
        return float(chances @ binom.cdf(most_losses, differing, loss / (win + loss)))

    low, high = 0.0, 1.0
    while high - low > 0.005:
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle) < POWER else (low, middle)
    return high
