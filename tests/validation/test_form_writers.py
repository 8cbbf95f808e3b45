"""rgenv/validation/form_writers.py: the same value in other forms."""

import json
import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks import COMPOSITE, KNOWN_TASKS
from rgenv.validation.form_writers import (
    WRITERS,
    angle_at_b,
    coin_flips,
    fractions,
    integer,
    scientific,
)

VARIABLE = "Solve for x: 2*x = 2268"


def test_every_task_has_a_writer() -> None:
    """The table is complete and names no other task."""
    assert set(WRITERS) == set(KNOWN_TASKS) - {COMPOSITE}


@pytest.mark.parametrize(
    ("task", "reference", "question", "texts"),
    [
        ("gcd", "1134", "", {"1,134", "1134.0", "+1134", "１１３４"}),
        ("chain_sum", "-7", "", {"\N{MINUS SIGN}7", "-7.0"}),
        ("simple_equations", "4", VARIABLE, {"x = 4", "x=4", "$x = 4$"}),
        ("decimal_chain_sum", "2.50", "", {"2.5", "2.500"}),
        ("power_function", "-0.0013674", "", {"-1.37e-3", "-1.37e-03", "-1.37E-3"}),
        ("dice", "1/2", "", {"1 / 2", "\\frac{1}{2}", "$\\frac{1}{2}$"}),
        ("complex_arithmetic", "6.0 - 4.0i", "", {"6 - 4i", "6-4i", "-4i + 6", "6 - 4*i"}),
        ("bitwise_arithmetic", "0x5b9", "", {"0x5B9", "5b9"}),
        ("polynomial_equations", "-1.5, 0.0", "", {"-1.5,0.0", "0.0, -1.5", "-1.5, 0"}),
        ("syllogism", "Yes", "", {"yes", "YES"}),
        ("family_relationships", "son-in-law", "", {"son in law", "Son-in-law"}),
        ("time_intervals", "1 days, 05:00:00", "", {"1 day, 05:00:00", "1 days,05:00:00"}),
        ("word_sorting", "a, b", "", {"a,b", '["a", "b"]', "a\nb", "['a', 'b']"}),
        ("list_functions", "[1, 2]", "", {"[1,2]", "1, 2", "[ 1, 2 ]"}),
        ("number_sorting", "['2.0', '1.5']", "", {'["2.0", "1.5"]', "[2.0, 1.5]", "['2', '1.5']"}),
        ("rotate_matrix", "1 2\n3 4", "", {"1 2 \n3 4 ", "1 2\r\n3 4", "[[1, 2], [3, 4]]"}),
        ("sudoku", "1 2\n2 1", "", {"12\n21", "1, 2\n2, 1"}),
        ("quantum_lock", "A → B", "", {"A -> B", "A, B", "A B"}),
        ("shortest_path", "up left", "", {"up, left", "up → left", "UP LEFT"}),
        ("tower_of_hanoi", "Move\nMove", "", {"1. Move\n2. Move", "- Move\n- Move"}),
        ("cryptarithm", "A=1,B=2", "", {"A = 1, B = 2", "B=2,A=1"}),
        ("polynomial_multiplication", "-x**2 + 3*x", "", {"3*x - x**2", "-x**2+3*x"}),
    ],
)
def test_forms_of_the_table(task: str, reference: str, question: str, texts: set[str]) -> None:
    """Forms that people write are among those of the task."""
    assert texts <= set(WRITERS[task](reference, question).values())


@pytest.mark.parametrize(
    ("task", "reference", "text"),
    [
        ("prime_factorization", "2 × 3", "2 * 3"),
        ("bitwise_arithmetic", "0x123", "123"),
        ("list_functions", "[5]", "5"),
        ("gcd", "12", "x = 12"),
    ],
)
def test_unfair_forms_are_left_out(task: str, reference: str, text: str) -> None:
    """A form that the question excludes, or that has another meaning, is not written."""
    assert text not in WRITERS[task](reference, "").values()


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


def test_angles_come_from_the_coordinates() -> None:
    """They have the three decimals that the question asks for, where the reference has two."""
    question = "A=(1, 0), B=(0, 0), and C=(0, 7), find the angle"
    assert angle_at_b(question) == pytest.approx(90)
    assert WRITERS["advanced_geometry"]("90.00°", question)["three decimals"] == "90.000°"


@given(st.lists(st.integers(-99, 99), min_size=1, max_size=8))
def test_json_forms_of_a_list_have_its_items(values: list[int]) -> None:
    """JSON forms of a list that is separated by spaces are that list."""
    written = WRITERS["spiral_matrix"](" ".join(map(str, values)), "")
    for name in ("JSON", "JSON without spaces", "JSON on lines"):
        assert json.loads(written[name]) == values
