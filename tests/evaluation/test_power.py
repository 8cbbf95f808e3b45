"""Tests of rgenv/evaluation/power.py."""

import random

import pytest

from rgenv.evaluation.binomial import ALPHA, binomial_p_value
from rgenv.evaluation.power import detectable, detectable_in_a_task


@pytest.mark.parametrize(("problems", "tests"), [(20, 1), (20, 105), (50, 105), (100, 20)])
def test_a_detectable_change_is_found_in_80_percent_of_cases(problems: int, tests: int) -> None:
    """By simulation of the exact test, with the correction for the number of tasks."""
    change = detectable_in_a_task(problems, tests=tests)
    assert change is not None
    rng, found = random.Random(problems + tests), 0
    for _ in range(1000):
        pairs = [
            (rng.random() < (1 - change) / 2, rng.random() < (1 + change) / 2)
            for _ in range(problems)
        ]
        wins, losses = sum(b > a for a, b in pairs), sum(a > b for a, b in pairs)
        found += binomial_p_value(wins, losses) <= ALPHA / tests
    assert 0.76 < found / 1000 < 0.87


def test_more_problems_show_smaller_changes() -> None:
    """The exact values go over into those of the normal distribution."""
    sizes = [detectable_in_a_task(n, tests=20) or 1.0 for n in (15, 20, 50, 100, 150, 151, 500)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[4] - sizes[5] < 0.02
    assert detectable(0.02) == pytest.approx(0.0404, abs=1e-4)
