"""rgenv/tasks/answers/fractions.py: fractions in every notation, and nothing else."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rgenv.tasks.answers.fractions import ReducedFraction, read_fraction, read_probability


@pytest.mark.parametrize(
    "text", ["1/0", "1/-2", "--1/2", "-(1/2)", "1//2", "1/2/3", "a/b", "/2", "1/", "01/2", "1.5/2"]
)
def test_what_is_no_fraction_is_not_read(text: str) -> None:
    """Only a slash or \\frac between two whole numbers makes a fraction."""
    assert read_fraction(text) is None


@given(st.integers(1, 10**9), st.integers(2, 10**9))
def test_a_reduced_fraction_is_not_equal_to_its_multiples(top: int, bottom: int) -> None:
    """It is asked for in lowest terms."""
    assume(math.gcd(top, bottom) == 1)
    entry = {"answer": f"{top}/{bottom}"}
    for text in (f"{top:,} / {bottom:,}", f"\\dfrac{{{top}}}{{{bottom}}}", f"+{top}/{bottom}"):
        assert ReducedFraction().read(text, entry) == entry["answer"]
    for text in (f"{2 * top}/{2 * bottom}", f"-{top}/{bottom}", f"{top}/{bottom + 1}"):
        assert ReducedFraction().read(text, entry) != entry["answer"]


def test_a_percentage_is_a_hundredth() -> None:
    """A decimal or a percentage tells its value and the digits that it shows."""
    for text in ("88.5%", "88.5 \\%", "88.5 percent", "0.885"):
        number = read_probability(text)
        assert number is not None and number.value == Fraction(885, 1000) and number.digits == 3
    assert read_probability("%") is None
