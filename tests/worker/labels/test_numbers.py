"""Numbers computed again without rounding."""

from fractions import Fraction
from typing import Any

import pytest
import reasoning_gym

from rgenv.tasks.algebra import complex_arithmetic, polynomial_equations, simple_equations
from rgenv.tasks.algorithmic import number_filtering
from rgenv.tasks.arithmetic import (
    basic_arithmetic,
    calendar_arithmetic,
    decimal_arithmetic,
    decimal_chain_sum,
    number_format,
    power_function,
    time_intervals,
)
from rgenv.tasks.exact_numbers import exact_value


def entry_of(question: str = "", answer: str = "", **metadata: Any) -> dict[str, Any]:
    return {"question": question, "answer": answer, "metadata": metadata}


def test_expressions_have_exact_values() -> None:
    """Decimal numbers are not rounded to floats; anything but arithmetic raises."""
    assert exact_value("0.1 + 0.2 - -(3) * 2 / 7") == Fraction(3, 10) + Fraction(6, 7)
    for text in ("2 ** 9", "abs(1)", "x + 1", "'1'"):
        with pytest.raises((ValueError, KeyError)):
            exact_value(text)


@pytest.mark.parametrize(
    ("expression", "answer"), [("7 / 2 * 2", "7"), ("-( 8 ) / 4", "-2"), ("7 / 2", None)]
)
def test_division_does_not_round_down(expression: str, answer: str | None) -> None:
    """An expression is evaluated exactly; None if its value is a fraction."""
    result = basic_arithmetic.correct(entry_of(answer="6", expression=expression))
    assert (result and result["answer"]) == answer


def test_a_rounded_quotient_of_the_library_is_discarded() -> None:
    """The value of the expression of seed 116 is not whole."""
    entry = reasoning_gym.create_dataset("basic_arithmetic", size=1, seed=116)[0]
    assert basic_arithmetic.correct(entry) is None


def test_sums_keep_all_digits() -> None:
    """A sum rounded by the library is replaced with the exact one."""
    question = "State the final answer to the following arithmetic problem: -880064.613 + 0.00346 ="
    result = decimal_chain_sum.correct(entry_of(question, "-880065"))
    assert result is not None and result["answer"] == "-880064.60954"


def test_decimals_are_rounded_once() -> None:
    """A value is rounded at the end only: 2 / 3 * 3 is 2, not 2.00001."""
    question = "solve this to a maximum of 6 significant digits, rounding up.\n2.00/3.00*3.00 = ?"
    result = decimal_arithmetic.correct(entry_of(question, "2.00001"))
    assert result is not None and float(result["answer"]) == 2.0


def test_numbers_keep_their_spelling() -> None:
    """Equal numbers keep their own spellings, such as "81.0" and "81"."""
    question = "Remove all numbers larger than 92 in this list: ['81.0', '99', '81']\nReturn it."
    result = number_filtering.correct(entry_of(question, "['81.0', '81.0']"))
    assert result is not None and result["answer"] == "['81.0', '81']"


def test_products_that_floats_round_are_discarded() -> None:
    """A product of 17 digits is discarded, an exact result is kept."""
    question = "Multiply the complex numbers: (83947541.0 + 1.0i) × (501450471.0 + 2.0i)"
    assert complex_arithmetic.correct(entry_of(question, "4.2e+16 + 669345553.0i")) is None
    small = entry_of("Divide the complex numbers: (3.0 + 1.0i) ÷ (1.0 + 1.0i)", "2.0 - 1.0i")
    assert complex_arithmetic.correct(small) is small


@pytest.mark.parametrize(
    ("equation", "answer"),
    [("0 = 0", None), ("20592*m = 1276704", "62"), ("56 - 98*m = -1218", "13"), ("2*m = 3", None)],
)
def test_an_equation_gets_its_whole_solution(equation: str, answer: str | None) -> None:
    """None if the variable cancels out, or no whole number solves the equation."""
    result = simple_equations.correct(entry_of(answer="62", equation=equation, variable="m"))
    assert (result and result["answer"]) == answer


def test_polynomials_with_missing_roots_are_discarded() -> None:
    """A reference answer without the three real roots of a cubic factor is discarded."""
    expression = "-n**4 + 74*n**3 + 85*n**2 - 2*n"
    cubic = entry_of("", "0.0", polynomial_expr=expression, variable="n")
    assert polynomial_equations.correct(cubic) is None
    square = entry_of("", "0.0, 0.5909", polynomial_expr="-66*o**2 + 39*o", variable="o")
    assert polynomial_equations.correct(square) is square


@pytest.mark.parametrize(
    ("start", "end", "form", "answer"),
    [
        ("09:43:58.821", "22:11:11.690", "HH:MM:SS.mmm", "12:27:12.869"),
        (
            "2358-04-20 (Sunday) 03:51:19 -0100",
            "2358-05-13 (Tuesday) 11:44:31 -0900",
            "D days, HH:MM",
            "23 days, 15:53",
        ),
        ("Sat Dec 22 2677", "Thu Mar 21 2678", "D days", "89 days"),
        ("15 January 2024, 14:30", "16 January 2024, 14:31", "D days, HH:MM", "1 days, 00:01"),
        ("01/31/2024", "02/01/2024", "D days", "1 days"),
        ("23:50", "00:00", "HH:MM", None),
    ],
)
def test_intervals_are_computed_from_the_question(
    start: str, end: str, form: str, answer: str | None
) -> None:
    """Weekdays, time zones and milliseconds are parsed; None if the end is before the start."""
    question = f"How much time elapsed from {start} to {end}? Give your answer in {form}."
    result = time_intervals.correct(entry_of(question, "?", expected_format=form))
    assert (result and result["answer"]) == answer


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        (
            "How many Fridays are there from Monday, May 2, 2022 to Friday, May 6, 2022 "
            "(inclusive of both dates)?",
            True,
        ),
        (
            "How many business days (Monday-Friday) are there from Sunday, December 18, 2022 to "
            "Tuesday, March 28, 2022 (inclusive of both dates)?",
            False,
        ),
        ("In a year where Tuesday is January 1st, name the weekday of February 20.", True),
        ("In a year where Tuesday is January 1st, name the weekday of March 20.", False),
        ("Is 2020 a leap year? Answer with Yes or No.", True),
    ],
)
def test_ambiguous_dates_are_discarded(question: str, kept: bool) -> None:
    """Questions with a wrong year, or whose answer depends on a leap year, are discarded."""
    assert (calendar_arithmetic.correct(entry_of(question)) is not None) == kept


@pytest.mark.parametrize(
    ("base", "exponent", "power", "answer"),
    [
        ("-2.5", 2, 6.25, "-6.25"),
        ("-2.5", -2, 0.16, "-0.16"),
        ("-2.5", 0, 1.0, "-1.0"),
        ("-2.0", 3, -8.0, "-8.0"),
        ("-2.0", -3, -0.125, "-0.125"),
        ("2.5", 2, 6.25, "6.25"),
    ],
)
def test_a_minus_is_applied_after_the_power(
    base: str, exponent: int, power: float, answer: str
) -> None:
    """An even power of a negative number, written without brackets, is negative."""
    question = f"Compute {base}^{exponent}. Return your final answer correct to 3 figures."
    result = power_function.correct(entry_of(question, str(power), solution=power))
    assert result["answer"] == answer and str(result["metadata"]["solution"]) == answer


@pytest.mark.parametrize(
    ("size", "candidates", "clear"),
    [
        ("largest", "1,000.02 1.00000e+03 999.9", True),
        ("largest", "1,000.01 1.00000e+03 999.9", False),
        ("smallest", "1,000.01 1.00000e+03 999.9", True),
        ("smallest", "5 5.000 7", False),
    ],
)
def test_the_right_candidate_differs_clearly(size: str, candidates: str, clear: bool) -> None:
    """A question is discarded if the verifier would take the second best candidate, too."""
    question = f"Now, pick the {size} number of the following candidates: {candidates}\n"
    assert (number_format.correct(entry_of(question)) is not None) == clear
