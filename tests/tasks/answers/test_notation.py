"""rgenv/tasks/answers/notation.py: one number in any notation, and nothing that is no number."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.answers.notation import (
    Numeral,
    agrees,
    item_number,
    place_value,
    plain,
    read_number,
)

INTEGERS = st.integers(-(10**30), 10**30)
DECIMALS = st.decimals(
    allow_nan=False, allow_infinity=False, places=4, min_value=-(10**12), max_value=10**12
)


def value(text: str) -> Fraction | None:
    number = read_number(text)
    return None if number is None else number.value


@given(INTEGERS, st.sampled_from([",", "{,}", "\\,", "\u202f"]))
def test_an_integer_has_many_forms(number: int, separator: str) -> None:
    """Grouped, with a sign, with zeros after the point or an exponent, it is the same number."""
    forms = [f"{number}", f"{number:,}".replace(",", separator), f"{number}.0", f"{number}e0"]
    forms += [f" {number} ", f"{10 * number}e-1", f"{number}.00 × 10^0", f"{number} * 10**{{0}}"]
    forms += [f"−{-number}"] if number < 0 else [f"+{number}"]
    assert {value(form) for form in forms} == {Fraction(number)}


@given(DECIMALS)
def test_a_decimal_is_read_as_it_is_written(number: object) -> None:
    exact = Fraction(str(number))
    if str(number).startswith("-0.0000"):
        assert value(f"{number}") is None
    else:
        assert value(f"{number}") == exact
        assert value(plain(exact)) == exact


NO_NUMBERS = """
    007 00.5 --5 +-5 -+5 -0 -0.0 1,13 1,1134 ,134 1,,134 0,134 1,134, 1, . - + e5 1e 1e5.5 1e999
    1e+ 0x1f 1/2 nan inf Infinity 1_000 ٣ ² ½ 5% $5 5kg 1..5 1.5.5 10^3 1×10 1×2^3 1,134.5,6 1.134,5
"""
SEVERAL_WORDS = ["1 134", "5 or 6", "- 5", "", " ", "1\u202f134,567", "1 e5"]


@pytest.mark.parametrize("text", [*NO_NUMBERS.split(), *SEVERAL_WORDS])
def test_what_is_no_number_is_not_read(text: str) -> None:
    """Tricks with zeros and signs, wrong groups, other scripts, formulas and several words."""
    assert read_number(text) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2.50", Numeral(Fraction(5, 2), Fraction(1, 100), 3)),
        (".5", Numeral(Fraction(1, 2), Fraction(1, 10), 1)),
        ("2500", Numeral(Fraction(2500), Fraction(100), 4)),
        ("1.5 × 10⁻³", Numeral(Fraction(3, 2000), Fraction(1, 10_000), 2)),
        ("2E+3", Numeral(Fraction(2000), Fraction(1000), 1)),
        ("－１，２３４．５", Numeral(Fraction(-2469, 2), Fraction(1, 10), 5)),
        ("0", Numeral(Fraction(0), Fraction(1), 1)),
    ],
)
def test_a_number_tells_what_it_shows(text: str, number: Numeral) -> None:
    """The place value of the last digit and the number of digits are known."""
    assert read_number(text) == number


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**6), st.integers(3, 9))
def test_a_number_agrees_with_its_rounding_only(right: Fraction, digits: int) -> None:
    unit = place_value(right, digits)
    rounded = round(right / unit) * unit
    number = read_number(plain(rounded))
    assert number is not None and agrees(number, right, place_value(right, 3))
    for other in (rounded + unit, rounded - unit):
        further = read_number(plain(other))
        assert further is not None
        assert not agrees(Numeral(other, unit, digits), right, place_value(right, 3)) or (
            abs(other - right) == unit / 2
        )


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9))
def test_the_first_digit_has_the_place_value_of_the_number(right: Fraction) -> None:
    """One significant digit lies between the number and a tenth of it."""
    assert place_value(right, 1) <= right < 10 * place_value(right, 1)


@pytest.mark.parametrize(
    ("text", "plain"),
    [("5.0", "5"), ("+5", "5"), ("−5", "-5"), ("-0.50", "-0.5"), (".5", "0.5"), ("0.0", "0")],
)
def test_a_number_in_a_list_has_one_spelling(text: str, plain: str) -> None:
    """Needless signs, zeros and points are left out."""
    assert item_number(text) == plain


@pytest.mark.parametrize(
    "text", ["", "-", "007", "1e5", "5.", "1/2", "--5", "nan", "1_0", "٣", "- 5"]
)
def test_other_texts_are_no_numbers_in_a_list(text: str) -> None:
    """Exponents, fractions, zeros in front and digits of other scripts are not read."""
    assert item_number(text) is None
