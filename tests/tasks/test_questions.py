"""Numbers of a question that problems of the contract seldom have."""

from rgenv.tasks.questions import integers_in, number_shown, numbers_in


def test_numbers_show_whether_they_have_decimals() -> None:
    """Whole numbers are ints, and numbers of many digits are left out."""
    assert numbers_in("3 and -2.5, then " + "9" * 50) == [3, -2.5]
    assert integers_in("a-4 b5") == [-4, 5]
    assert number_shown(3.0) == "3" and number_shown(2.5) == "2.5"
