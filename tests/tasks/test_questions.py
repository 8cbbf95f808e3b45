"""What rules read in a question."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.exact_numbers import exact_value
from rgenv.tasks.questions import (
    integers_in,
    last_grid,
    number_shown,
    numbers_in,
    rows_written,
    tail,
)


def test_the_data_follows_the_last_colon() -> None:
    """Without a colon, the last line is the data."""
    assert tail("Sort these words: a, b: c, d") == "c, d"
    assert tail("Copy this matrix:\n1 2\n3 4") == "1 2\n3 4"
    assert tail("first\nlast line") == "last line"


def test_numbers_show_whether_they_have_decimals() -> None:
    """Whole numbers are ints, and numbers of many digits are left out."""
    assert numbers_in("3 and -2.5, then " + "9" * 50) == [3, -2.5]
    assert integers_in("a-4 b5") == [-4, 5]
    assert number_shown(3.0) == "3" and number_shown(2.5) == "2.5"


def test_the_last_grid_is_read() -> None:
    """Lines with other characters end a grid."""
    assert last_grid("1 2\n3 4\nnow this:\n5 6\n7 8\n\nDone.") == [["5", "6"], ["7", "8"]]


@given(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=2), min_size=1, max_size=5))
def test_a_written_grid_is_read_again(rows: list[list[int]]) -> None:
    """Writing and reading a grid changes nothing."""
    grid = last_grid(rows_written(rows))
    assert grid == [[str(cell) for cell in row] for row in rows]


def test_expressions_have_exact_values() -> None:
    """Decimal numbers are not rounded to floats; anything but arithmetic raises."""
    assert exact_value("0.1 + 0.2 - -(3) * 2 / 7") == Fraction(3, 10) + Fraction(6, 7)
    for text in ("2 ** 9", "abs(1)", "x + 1", "'1'"):
        with pytest.raises((ValueError, KeyError)):
            exact_value(text)
