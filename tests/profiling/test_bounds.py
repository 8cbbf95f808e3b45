"""rgenv/profiling/bounds.py: intervals that hold whenever the asking stops."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.profiling.bounds import bounds

counts = st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts, st.sampled_from([0.01, 0.05, 0.2]))
def test_an_interval_holds_the_observed_share(pair: tuple[int, int], error: float) -> None:
    """It lies in [0, 1], and the same share of failures has the mirror image."""
    hits, total = pair
    low, high = bounds(hits, total, error=error)
    assert 0 <= low <= (hits / total if total else 0.5) <= high <= 1
    mirrored = bounds(total - hits, total, error=error)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize(("share", "error"), [(0.083, 0.05), (0.3, 0.2), (0.9, 0.05)])
def test_no_end_ever_passes_the_share_more_often_than_promised(share: float, error: float) -> None:
    """Whoever looks 50 times at 200 completions and stops at the worst moment is still right."""
    rng, runs, above, below = random.Random(1), 400, 0, 0
    for _ in range(runs):
        hits, was_above, was_below = 0, False, False
        for total in range(4, 201, 4):
            hits += sum(rng.random() < share for _ in range(4))
            low, high = bounds(hits, total, error=error)
            was_above |= low > share
            was_below |= high < share
        above, below = above + was_above, below + was_below
    slack = 3 * (error * (1 - error) / runs) ** 0.5
    assert max(above, below) / runs <= error + slack
