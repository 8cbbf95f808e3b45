"""rgenv/evaluation/chance.py: intervals of shares, tests of changes, and their power."""

import random
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from rgenv.evaluation.chance import (
    ALPHA,
    PairedTest,
    detectable_in_a_task,
    marked,
    share_interval,
    sign_flip_test,
)

pytestmark = pytest.mark.slow


def coverages(problems: int) -> np.ndarray:
    """Return the exact coverage of the interval for each share from .02 to .98."""
    shares = np.linspace(0.02, 0.98, 193)[:, None]
    counts = np.arange(problems + 1)
    ends = np.array([share_interval(float(count), float(problems)) for count in counts])
    chances = np.array([float(comb(problems, int(count))) for count in counts])
    chances = chances * shares**counts * (1 - shares) ** (problems - counts)
    covered = (ends[:, 0] <= shares) & (shares <= ends[:, 1])
    return (chances * covered).sum(1)


@pytest.mark.parametrize("problems", [5, 6, 13, 20, 100, 500])
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


@given(st.lists(st.sampled_from([-1.0, -0.75, -0.25, 0.0, 0.5, 1 / 3]), max_size=8))
def test_the_p_value_is_the_share_of_all_signs(differences: list[float]) -> None:
    """By enumeration of the signs."""
    signs = product([-1, 1], repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(one, differences, strict=True))) for one in signs]
    expected = sum(total >= abs(sum(differences)) - 1e-9 for total in sums) / len(sums)
    found = sign_flip_test(differences)
    assert found.p_value == pytest.approx(expected)
    if any(differences):
        assert found.smallest <= found.p_value + 1e-12


def test_differences_without_a_small_common_denominator() -> None:
    """Failed samples leave problems with other numbers of completions."""
    halves = [sign / count for count in range(1, 1500) for sign in (-1, 1)]
    assert sign_flip_test(halves).p_value == 1.0
    assert sign_flip_test([1 / count for count in range(1, 1500)]).p_value < 0.001


def test_tests_that_cannot_reach_significance_do_not_count() -> None:
    """A p-value of .004 would not be enough among 100 tests that could be significant."""
    found = PairedTest(0.004, 0.002)
    hopeless = {f"t{n}": PairedTest(1.0, 0.125) for n in range(99)}
    able = {f"t{n}": PairedTest(1.0, 1e-9) for n in range(99)}
    assert marked({"gcd": found, **hopeless}) == {"gcd"}
    assert marked({"gcd": found, **able}) == set()


@pytest.mark.parametrize(
    ("names", "problems", "each"),
    [(105, 5, 1), (105, 12, 4), (9, 50, 1)],
)
def test_the_same_policy_twice_is_marked_in_at_most_5_percent(
    names: int, problems: int, each: int
) -> None:
    """Of comparisons over many tasks or categories, any of which may be marked."""
    rng = np.random.default_rng(names + problems)
    shares = rng.choice([0.02, 0.3, 0.5, 0.9], (names, 1))
    false = 0
    for _ in range(150):
        runs = rng.binomial(each, shares[None], (2, names, problems)) / each
        tests = {str(n): sign_flip_test(row.tolist()) for n, row in enumerate(runs[1] - runs[0])}
        false += bool(marked(tests))
    assert false / 150 <= 0.05 + 3 * (0.05 * 0.95 / 150) ** 0.5


@pytest.mark.parametrize(("problems", "tests"), [(20, 1), (50, 105)])
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
        found += binomtest(wins, wins + losses).pvalue <= ALPHA / tests
    assert 0.76 < found / 1000 < 0.87
