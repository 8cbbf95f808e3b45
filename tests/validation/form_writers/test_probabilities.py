"""Other forms of fractions and probabilities."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.validation.form_writers import WRITERS
from rgenv.validation.form_writers.probabilities import coin_flips, fractions


@pytest.mark.parametrize(
    ("task", "reference", "question", "texts"),
    [
        ("dice", "1/2", "", {"1 / 2", "\\frac{1}{2}", "$\\frac{1}{2}$"}),
    ],
)
def test_forms_that_people_write(task: str, reference: str, question: str, texts: set[str]) -> None:
    """They are among those of the task."""
    assert texts <= set(WRITERS[task](reference, question).values())


@given(st.integers(0, 999), st.integers(1, 999))
def test_fractions_keep_numerator_and_denominator(top: int, bottom: int) -> None:
    """Every form has the two numbers, in their order, or the first one over 1."""
    for text in fractions(top, bottom).values():
        numbers = [int(number) for number in re.findall(r"\d+", text)]
        assert numbers == ([top, bottom] if bottom > 1 else [top])


def test_probabilities_are_exact() -> None:
    """The fraction comes from the question, since the reference answer is rounded."""
    assert coin_flips("getting exactly 2 heads in 5 fair coin flips?") == Fraction(5, 16)
    assert coin_flips("getting at least 4 heads in 5 fair coin flips?") == Fraction(3, 16)
    assert coin_flips("getting wet?") is None
    asked = "getting at least 28 heads in 33 fair coin flips?"
    assert "percent, 3 digits" in WRITERS["coin_flip"]("3.30938492e-05", asked)
