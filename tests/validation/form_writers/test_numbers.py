"""Other forms of integers, decimals and powers of ten."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.validation.form_writers import WRITERS
from rgenv.validation.form_writers.numbers import integer, scientific

VARIABLE = "Solve for x: 2*x = 2268"


@pytest.mark.parametrize(
    ("task", "reference", "question", "texts"),
    [
        ("gcd", "1134", "", {"1,134", "1134.0", "+1134", "１１３４"}),
        ("chain_sum", "-7", "", {"\N{MINUS SIGN}7", "-7.0"}),
        ("simple_equations", "4", VARIABLE, {"x = 4", "x=4", "$x = 4$"}),
        ("decimal_chain_sum", "2.50", "", {"2.5", "2.500"}),
        ("power_function", "-0.0013674", "", {"-1.37e-3", "-1.37e-03", "-1.37E-3"}),
        ("bitwise_arithmetic", "0x5b9", "", {"0x5B9", "5b9"}),
    ],
)
def test_forms_that_people_write(task: str, reference: str, question: str, texts: set[str]) -> None:
    """They are among those of the task."""
    assert texts <= set(WRITERS[task](reference, question).values())


@given(st.integers(-(10**30), 10**30))
def test_forms_of_an_integer_have_its_value(value: int) -> None:
    """Without separators, signs and zeros, all forms are the same digits."""
    for text in integer(str(value), "").values():
        plain = text.replace(",", "").replace("\N{MINUS SIGN}", "-")
        assert Fraction(plain) == value


@given(st.floats(1e-300, 1e300), st.sampled_from([1, -1]))
def test_scientific_forms_have_three_significant_digits(size: float, sign: int) -> None:
    """Each is the number rounded to three digits."""
    for text in scientific(repr(sign * size), "").values():
        assert math.isclose(float(text.replace("\N{MINUS SIGN}", "-")), sign * size, rel_tol=0.0051)
        assert re.match(r"[-+\N{MINUS SIGN}]?\d\.\d\d[eE]", text)
