"""Tests of rgenv/evaluation/binomial.py."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.evaluation.binomial import binomial_p_value, share_interval


def coverages(problems: int) -> np.ndarray:
    """Return the exact coverage of the interval for each share from .02 to .98."""
    shares = np.linspace(0.02, 0.98, 193)[:, None]
    counts = np.arange(problems + 1)
    ends = np.array([share_interval(float(count), float(problems)) for count in counts])
    chances = np.array([float(comb(problems, int(count))) for count in counts])
    chances = chances * shares**counts * (1 - shares) ** (problems - counts)
    covered = (ends[:, 0] <= shares) & (shares <= ends[:, 1])
    return (chances * covered).sum(1)


@pytest.mark.parametrize("problems", [5, 6, 10, 13, 20, 50, 100, 500])
def test_the_interval_covers_95_percent(problems: int) -> None:
    """Never under .90; for 20 problems and more .93 to .97 on average and at most shares."""
    found = coverages(problems)
    assert found.min() >= 0.90
    assert 0.94 <= found.mean() <= 0.97
    if problems >= 20:
        assert found.mean() <= 0.96
        assert np.mean((found >= 0.93) & (found <= 0.97)) >= 0.75
    if problems >= 500:
        assert found.min() >= 0.93 and found.max() <= 0.97


@given(st.integers(1, 200), st.data())
def test_the_interval_is_symmetric_and_contains_the_share(total: int, data: st.DataObject) -> None:
    """The interval of the unsolved problems is the mirror image."""
    count = data.draw(st.floats(0, total))
    low, high = share_interval(count, float(total))
    other = share_interval(total - count, float(total))
    assert 0 <= low <= count / total <= high <= 1
    assert other == pytest.approx((1 - high, 1 - low), abs=1e-8)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sign_test_counts_equally_extreme_results(wins: int, losses: int) -> None:
    """Both tails of the binomial distribution with a share of one half."""
    total, fewer = wins + losses, min(wins, losses)
    tail = sum(comb(total, k) for k in range(fewer + 1)) / 2**total
    assert binomial_p_value(wins, losses) == pytest.approx(min(1.0, 2 * tail))
