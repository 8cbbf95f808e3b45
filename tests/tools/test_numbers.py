"""Operations, terms and steps counted by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.work import WORK, numbers, work


def entry_of(question: str = "", answer: str = "", **metadata: Any) -> dict[str, Any]:
    return {"question": question, "answer": answer, "metadata": metadata}


@pytest.mark.parametrize(
    ("expression", "count"),
    [("5 - 9", 1), ("( -9 / 9 )", 1), ("478 / 2 + -863 + -177", 3), ("-( 2 * -( 3 + 4 ) )", 2)],
)
def test_operators_are_counted_without_signs(expression: str, count: int) -> None:
    """A sign before a number or a bracket is no operation."""
    assert numbers.operations(entry_of(expression=expression)) == count


def test_the_last_line_is_read_without_metadata() -> None:
    """decimal_arithmetic shows its expression in the question only."""
    question = "Solve this to 6 digits - rounding up.\n1.08/1.62+(0.25/(4.85+6.82*8.17)) = ?"
    assert numbers.operations(entry_of(question)) == 5


def test_the_digits_of_a_product_grow() -> None:
    """12 * 12 takes 4 products of digits; 144 * 5 takes 3 more."""
    assert numbers.products(entry_of(expression="12 * 12")) == 4
    assert numbers.products(entry_of(expression="12 * 12 * 5")) == 7


@given(a=st.integers(1, 10**6), b=st.integers(1, 10**6))
def test_euclid_ends_within_lames_bound(a: int, b: int) -> None:
    """The number of divisions is at most five times the digits of the smaller number, plus one."""
    assert 1 <= numbers.euclid_steps(a, b) <= 5 * len(str(min(a, b))) + 1


def test_divisions_of_two_neighbours_of_fibonacci() -> None:
    """Neighbours in Fibonacci's sequence take the most divisions."""
    assert numbers.gcd(entry_of(numbers=[55, 34])) == 8
    assert numbers.gcd(entry_of(numbers=[56, 28])) == 1


@given(number=st.integers(2, 10**5))
def test_prime_factors_multiply_to_the_number(number: int) -> None:
    """The factors that lcm counts are primes whose product is the number."""
    factors = numbers._prime_factors(number)
    assert math.prod(factors) == number
    assert all(number % factor == 0 and factor > 1 for factor in factors)
    assert work("lcm", entry_of(numbers=[number])) == len(factors)


@pytest.mark.parametrize(("number", "divisions"), [(32, 6), (97, 5), (9991, 27)])
def test_primes_are_tried_up_to_the_root(number: int, divisions: int) -> None:
    """97 is tried with 2, 3, 5 and 7 and is one factor; 32 is tried with 2 and has five factors."""
    assert numbers.prime_factorization(entry_of(number=number)) == divisions


def test_a_sieve_crosses_out_multiples_in_the_range_only() -> None:
    """From 10 to 20, there are six multiples of 2 and three of 3."""
    assert numbers.count_primes(entry_of(start=10, end=20)) == 6 + 3


def test_dice_are_added_one_by_one() -> None:
    """Two dice of 6 have 36 rolls; a third meets their 11 sums."""
    assert numbers.dice(entry_of(puzzle={"dice_str": "1d6, 1d6"})) == 36
    assert numbers.dice(entry_of(puzzle={"dice_str": "1d6, 1d6, 1d6"})) == 36 + 66


def test_candidates_that_agree_longer_take_more() -> None:
    """Digits are compared up to the first that differs."""
    near = numbers.number_format(entry_of(answer="1234.5", candidates=[1234.5, 1234.4]))
    far = numbers.number_format(entry_of(answer="1234.5", candidates=[1234.5, 234.4]))
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
    assert numbers.calendar_arithmetic(entry_of(**metadata)) == steps


def test_borrows_and_zones_are_steps() -> None:
    """Subtracting 30 minutes from 15 needs a borrow; another zone needs two more steps."""

    def steps(start: str, end: str, form: str) -> float:
        return numbers.time_intervals(entry_of(start_time=start, end_time=end, format=form))

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
    assert numbers.base_conversion(entry_of(source_repr="255", target_repr="ff")) == 7


@pytest.mark.parametrize(
    ("kind", "integrand", "rules"),
    [
        ("linear", "3*(6*x - 10)**4", 2),
        ("radical", "2*sqrt(3*x + 1)", 2),
        ("exponential", "3*exp(2*x + 1)", 2),
        ("exponential", "(4*x + 1)*exp(2*x**2 + x)", 3),
        ("trigonometric", "6*sin(3*x - 2)*cos(3*x - 2)", 2),
        ("trigonometric", "6*sin(3*x - 2)**3*cos(3*x - 2)", 3),
        ("log_inverse_trig", "2*log(x)", 2),
        ("log_inverse_trig", "2*atan(x)", 4),
        ("log_inverse_trig", "2*asin(3*x)", 5),
        ("cyclic", "exp(x)*sin(x)", 4),
        ("cyclic", "sin(x)*cos(x)", 2),
        ("repeated_parts", "x**4*sin(x)", 5),
        ("polynomial_exp_trig", "-3*x*exp(x)", 2),
        ("polynomial_exp_trig", "2*X**2*cos(3*X)", 5),
    ],
)
def test_rules_of_integration(kind: str, integrand: str, rules: int) -> None:
    """One rule for each substitution, each integration by parts and each inner constant."""
    name = "X" if "X" in integrand else "x"
    entry = entry_of(integrand=integrand, problem_type=kind, variable=name)
    assert numbers.intermediate_integration(entry) == rules


@pytest.mark.parametrize(
    ("polynomial", "roots", "amount"),
    [
        ("3*h + 6", [-2.0], 1 + 1),
        ("h**2 - 3*h + 2", [1.0, 2.0], 4 + 2),
        ("h**3 - 3*h**2 + 2*h", [0.0, 1.0, 2.0], 4 + 1 + 3),
        ("2*h**2 - 8", [-2.0, 2.0], 1 + 1 + 2),
        ("15*h**3", [0.0], 0 + 1 + 1),
    ],
)
def test_what_is_left_of_a_polynomial(polynomial: str, roots: list[float], amount: int) -> None:
    """A power of the unknown is split off, and a square of it is one unknown."""
    entry = entry_of(polynomial_expr=polynomial, variable="h", real_solutions=roots)
    assert numbers.polynomial_equations(entry) == amount


def test_products_of_terms() -> None:
    """Two terms by two terms are four products; their three terms by two are six more."""
    entry = entry_of(polynomial_expr="(x + 1)*(2*x - 3)*(x**2 + 4)")
    assert numbers.polynomial_multiplication(entry) == 4 + 6


def test_a_longer_division_takes_more() -> None:
    """The digits of the quotient count as often as the coefficient has digits."""
    short = numbers.simple_equations(entry_of("7", equation="3*h + 5 = 26"))
    long = numbers.simple_equations(entry_of("777", equation="333*h + 5 = 258746"))
    assert short < long


def test_fractions_are_more_work_than_terms() -> None:
    """Each fraction counts once more."""
    assert numbers.simple_integration(entry_of(integrand="6*x**3 + 20*x/9")) == 3


def test_a_division_takes_more_than_a_product() -> None:
    """A division takes eleven operations on reals, a product six, a sum two."""
    counts = [numbers.complex_arithmetic(entry_of(operation=sign)) for sign in "+*/"]
    assert counts == [2, 6, 11]


def test_few_heads_are_as_easy_as_few_tails() -> None:
    """A binomial coefficient is computed from the nearer end."""
    counts = [
        numbers.coin_flip(entry_of(num_trials=9, k_heads=heads, problem_type="exact"))
        for heads in range(10)
    ]
    assert counts == counts[::-1] and counts[0] == 1 and counts[4] == 9


def test_at_least_takes_the_shorter_sum() -> None:
    """At least 0 is certain; at least 9 of 9 is one outcome; those between need a sum."""
    counts = [
        numbers.coin_flip(entry_of(num_trials=9, k_heads=heads, problem_type="at_least"))
        for heads in range(10)
    ]
    assert counts[0] == 1 and counts[9] == 4 and max(counts) == counts[5]


def test_each_side_is_an_angle_to_add() -> None:
    """A polygon's work is the number of its sides."""
    assert numbers.simple_geometry(entry_of(n_sides=7)) == 7


def test_triangles_are_ordered_by_what_is_asked() -> None:
    """An angle takes less than the orthocenter, and that less than the circle within."""
    kinds = ("angle_measure", "orthocenter", "incircle_radius")
    counts = [numbers.advanced_geometry(entry_of(task_type=kind)) for kind in kinds]
    assert counts == sorted(counts)
