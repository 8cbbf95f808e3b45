"""rgenv/tasks/answers/numbers.py: units and names, only where the question uses them."""

import pytest

from rgenv.tasks.answers.numbers import DEGREES, DecimalNumber, Number, without_name
from tests.support.written.parts import assignments


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        (DEGREES, "114°"),
        (DEGREES, "114.0^\\circ"),
        (DEGREES, "114 degrees"),
        ("legs?", "114 legs"),
        ("minutes?", "114 Minutes"),
        ("primes?|prime numbers?", "114 prime numbers"),
        ("swaps?", "114 \\text{ swaps}"),
    ],
)
def test_a_unit_of_the_task_may_follow(unit: str, text: str) -> None:
    assert Number(unit).read(text, {"answer": "114"}) == "114"
    assert Number(unit).read(f"{text} {text}", {"answer": "114"}) is None
    assert Number().read(text, {"answer": "114"}) is None


def test_the_digits_that_are_asked_for_have_to_be_there() -> None:
    """Fewer digits than asked for are another number, and so are more."""
    entry = {"answer": "11.0935615120"}
    assert DecimalNumber().read("11.093561512", entry) == "11.0935615120"
    for text in ("11.0935615121", "11.09356151201", "11.0936", "11.094"):
        assert DecimalNumber().read(text, entry) != "11.0935615120"


def test_a_name_stands_before_the_value_where_it_is_asked_for() -> None:
    """``x = 5`` is 5 for x only, and is written where one variable is asked for."""
    assert without_name("x = 5", "x") == " 5"
    assert without_name("x = 5", "y") == without_name("x = 5", "") == "x = 5"
    assert assignments("4", "Solve for x: 2*x = 8")["tight assignment"] == "x=4"
    assert assignments("4", "gcd of 4 and 8") == assignments("1, 2", "Solve for x") == {}
