"""Wrong integers and factors."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.validation.wrong_values.numbers import integer
from tests.validation.wrong_values.laws import assert_changes_differ


@given(st.integers(-(10**20), 10**20), st.randoms(use_true_random=False))
def test_changed_integers_are_other_integers(value: int, rng: random.Random) -> None:
    """Each change is an integer that differs from the right one."""
    changes = integer(str(value), "", rng)
    assert "next" in changes
    assert value not in {int(text) for text in changes.values()}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("task", "reference", "question"),
    [
        ("prime_factorization", "2 × 3 × 67", ""),
    ],
)
def test_changes_differ_from_the_right_answer(
    task: str, reference: str, question: str, seed: int
) -> None:
    """No change gives the right answer back, whatever is drawn."""
    assert_changes_differ(task, reference, question, seed)
