"""Operations counted by hand."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.work import WORK, arithmetic, work


def entry_of(question: str = "", answer: str = "", **metadata: Any) -> dict[str, Any]:
    return {"question": question, "answer": answer, "metadata": metadata}


@pytest.mark.parametrize(
    ("expression", "count"),
    [("5 - 9", 1), ("( -9 / 9 )", 1), ("478 / 2 + -863 + -177", 3), ("-( 2 * -( 3 + 4 ) )", 2)],
)
def test_operators_are_counted_without_signs(expression: str, count: int) -> None:
    """A sign before a number or a bracket is no operation."""
    assert arithmetic.operations(entry_of(expression=expression)) == count


def test_the_last_line_is_read_without_metadata() -> None:
    """decimal_arithmetic shows its expression in the question only."""
    question = "Solve this to 6 digits - rounding up.\n1.08/1.62+(0.25/(4.85+6.82*8.17)) = ?"
    assert arithmetic.operations(entry_of(question)) == 5


def test_the_digits_of_a_product_grow() -> None:
    """12 * 12 takes 4 products of digits; 144 * 5 takes 3 more."""
    assert arithmetic.products(entry_of(expression="12 * 12")) == 4
    assert arithmetic.products(entry_of(expression="12 * 12 * 5")) == 7


@given(a=st.integers(1, 10**6), b=st.integers(1, 10**6))
def test_euclid_ends_within_lames_bound(a: int, b: int) -> None:
    """The number of divisions is at most five times the digits of the smaller number, plus one."""
    assert 1 <= arithmetic.euclid_steps(a, b) <= 5 * len(str(min(a, b))) + 1


def test_divisions_of_two_neighbours_of_fibonacci() -> None:
    """Neighbours in Fibonacci's sequence take the most divisions."""
    assert arithmetic.gcd(entry_of(numbers=[55, 34])) == 8
    assert arithmetic.gcd(entry_of(numbers=[56, 28])) == 1


@given(number=st.integers(2, 10**5))
def test_prime_factors_multiply_to_the_number(number: int) -> None:
    """The factors that lcm counts are primes whose product is the number."""
    factors = arithmetic._prime_factors(number)
    assert math.prod(factors) == number
    assert all(number % factor == 0 and factor > 1 for factor in factors)
    assert work("lcm", entry_of(numbers=[number])) == len(factors)


@pytest.mark.parametrize(("number", "divisions"), [(32, 6), (97, 5), (9991, 27)])
def test_primes_are_tried_up_to_the_root(number: int, divisions: int) -> None:
    """97 is tried with 2, 3, 5 and 7 and is one factor; 32 is tried with 2 and has five factors."""
    assert arithmetic.prime_factorization(entry_of(number=number)) == divisions


def test_a_sieve_crosses_out_multiples_in_the_range_only() -> None:
    """From 10 to 20, there are six multiples of 2 and three of 3."""
    assert arithmetic.count_primes(entry_of(start=10, end=20)) == 6 + 3


def test_dice_are_added_one_by_one() -> None:
    """Two dice of 6 have 36 rolls; a third meets their 11 sums."""
    assert arithmetic.dice(entry_of(puzzle={"dice_str": "1d6, 1d6"})) == 36
    assert arithmetic.dice(entry_of(puzzle={"dice_str": "1d6, 1d6, 1d6"})) == 36 + 66


def test_candidates_that_agree_longer_take_more() -> None:
    """Digits are compared up to the first that differs."""
    near = arithmetic.number_format(entry_of(answer="1234.5", candidates=[1234.5, 1234.4]))
    far = arithmetic.number_format(entry_of(answer="1234.5", candidates=[1234.5, 234.4]))
    assert near > far >= 1


@pytest.mark.parametrize(
    ("metadata", "steps"),
    [
        ({"task": "is_leap_year", "year": 1999}, 1),
        ({"task": "is_leap_year", "year": 1900}, 3),
        ({"task": "weekday_offset"}, 2),
        ({"task": "count_days", "start_date": "2022-01-30", "end_date": "2022-03-01"}, 6),
        ({"task": "count_business_days", "start_date": "2022-01-30", "end_date": "2022-02-01"}, 8),
    ],
)
def test_calendar_steps(metadata: dict[str, Any], steps: int) -> None:
    """Each end of a month that is crossed is a step, as is each check of a year."""
    assert arithmetic.calendar_arithmetic(entry_of(**metadata)) == steps


def test_borrows_and_zones_are_steps() -> None:
    """Subtracting 30 minutes from 15 needs a borrow; another zone needs two more steps."""

    def steps(start: str, end: str, form: str) -> float:
        return arithmetic.time_intervals(entry_of(start_time=start, end_time=end, format=form))

    day = "2022-11-22 "
    assert steps(day + "10:15:00", day + "11:30:00", "%H:%M") == 2
    assert steps(day + "10:30:00", day + "11:15:00", "%H:%M") == 3
    plain = steps(day + "10:00:00+01:00", day + "11:00:00+01:00", "%Y-%m-%d %H:%M %z")
    moved = steps(day + "10:00:00+01:00", day + "11:00:00+03:00", "%Y-%m-%d %H:%M %z")
    assert moved == plain + 2


def test_calculations_in_a_worked_answer() -> None:
    """Each result of a calculation counts."""
    answer = "6 days * 2 = 12 days\nSo he earns £195/day * 12 = £2340.\n#### 2340"
    assert WORK["gsm_symbolic"](entry_of(answer_cot=answer)) == 2


def test_letters_of_a_number_are_read_twice() -> None:
    """A digit above nine is a letter that has to be translated."""
    assert arithmetic.base_conversion(entry_of(source_repr="255", target_repr="ff")) == 7
