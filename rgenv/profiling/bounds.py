"""Intervals of a share that hold whenever the asking stops.

::

    bounds(0, 40)     # (0.0, 0.08): at most 8 % of such completions are right

Completions are asked until they decide something, so the usual intervals would be too narrow: they
hold for a number of completions that was fixed before. These are a confidence sequence: the chance
that the upper end is *ever* below the true share is at most `ERROR`, and so is that of the lower
end, however the moment to stop is chosen.

The upper end is the smallest share that a bet refutes. Against a share p, it is bet in parts that
the true share is x p, for each x in `FACTORS`; the odds of what was observed, mixed over the parts,
are a martingale if the share is p, and at most that if it is greater. So they reach 1 / ERROR with
a probability of at most ERROR (Ville 1939; Robbins 1970). Most is bet on x = 0, since the clear
cases are those without a single success. Lower ends are the same for failures.
"""

from __future__ import annotations

import math
from functools import lru_cache

ERROR = 0.05

FACTORS = {0.0: 0.7, 0.125: 0.05, 0.25: 0.05, 0.5: 0.05, 0.75: 0.05, 0.9: 0.05, 0.97: 0.05}
"""Shares that are bet on, as parts of the share that is tested -> part of the stake."""

STEPS = 30
"""Bisections for an end."""


def bounds(hits: int, total: int, *, error: float = ERROR) -> tuple[float, float]:
    """Return the ends of the interval of a share.

    Args:
        hits: how many of `total` completions have what is counted.
        error: the chance that an end is wrong at any time, each.
    """
    return 1.0 - _upper(total - hits, hits, error), _upper(hits, total - hits, error)


@lru_cache(maxsize=1 << 16)
def _upper(hits: int, misses: int, error: float) -> float:
    """Return the smallest share that the observed counts refute, with all above it; or 1."""
    if not misses:
        return 1.0
    low, high = hits / (hits + misses), 1.0
    for _ in range(STEPS):
        share = (low + high) / 2
        if _log_odds(hits, misses, share) < -math.log(error):
            low = share
        else:
            high = share
    return high


def _log_odds(hits: int, misses: int, share: float) -> float:
    """Return the logarithm of the mixed odds against a share, which rise with it."""
    terms = [
        math.log(stake)
        + (hits * math.log(factor) if hits else 0.0)
        + misses * (math.log1p(-factor * share) - math.log1p(-share))
        for factor, stake in FACTORS.items()
        if factor or not hits
    ]
    largest = max(terms)
    return largest + math.log(math.fsum(math.exp(term - largest) for term in terms))
