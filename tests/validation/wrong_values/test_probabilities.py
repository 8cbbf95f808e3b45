"""Wrong fractions and probabilities."""

import random
from fractions import Fraction

import pytest

from rgenv.validation.wrong_values import CHANGERS
from tests.validation.wrong_values.laws import assert_changes_differ


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("task", "reference", "question"),
    [
        ("dice", "737/960", ""),
        ("coin_flip", "0.3125", ""),
    ],
)
def test_changes_differ_from_the_right_answer(
    task: str, reference: str, question: str, seed: int
) -> None:
    """No change gives the right answer back, whatever is drawn."""
    assert_changes_differ(task, reference, question, seed)


def test_fractions_have_other_values() -> None:
    """A fraction that is equal is wrong only if it is not reduced, as the question asks."""
    for seed in range(50):
        for text in CHANGERS["dice"]("1/2", "", random.Random(seed)).values():
            assert Fraction(text) != Fraction(1, 2) or text != "1/2"
