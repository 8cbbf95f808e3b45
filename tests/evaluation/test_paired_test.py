"""Tests of rgenv/evaluation/paired_test.py."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.evaluation import paired_test
from rgenv.evaluation.paired_test import PairedTest, marked, sign_flip_test


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


def test_many_differences_have_a_normal_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exact p-value and the approximate one are alike."""
    differences = [0.5, -0.25, 1.0, -0.75, -0.25] * 60 + [0.5] * 30
    exact = sign_flip_test(differences).p_value
    monkeypatch.setattr(paired_test, "LARGEST_WORK", 0)
    assert sign_flip_test(differences).p_value == pytest.approx(exact, rel=0.1)


def test_nothing_is_marked_without_a_change() -> None:
    """No difference at all has a p-value of 1."""
    assert sign_flip_test([0.0] * 20) == PairedTest(1.0, 1.0)
    assert marked({"gcd": PairedTest(1.0, 1.0)}) == marked({}) == set()


def test_tests_that_cannot_reach_significance_do_not_count() -> None:
    """A p-value of .004 would not be enough among 100 tests that could be significant."""
    found = PairedTest(0.004, 0.002)
    hopeless = {f"t{n}": PairedTest(1.0, 0.125) for n in range(99)}
    able = {f"t{n}": PairedTest(1.0, 1e-9) for n in range(99)}
    assert marked({"gcd": found, **hopeless}) == {"gcd"}
    assert marked({"gcd": found, **able}) == set()


@pytest.mark.parametrize("names", [105, 9])
@pytest.mark.parametrize(("problems", "each"), [(5, 1), (10, 1), (20, 1), (50, 1), (12, 4)])
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


def test_a_large_change_of_one_task_in_105_is_found() -> None:
    """A gain of 40 points among 50 problems, in most comparisons."""
    rng = np.random.default_rng(1)
    found = others = 0
    for _ in range(60):
        runs = rng.random((2, 105, 50)) < 0.5
        runs[0, 0], runs[1, 0] = rng.random((2, 50)) < np.array([[0.3], [0.7]])
        changes = runs[1].astype(int) - runs[0]
        names = marked({str(n): sign_flip_test(row.tolist()) for n, row in enumerate(changes)})
        found += "0" in names
        others += len(names - {"0"})
    assert found / 60 > 0.35 and others / 60 < 0.15
