"""Values that are read as JSON or Python literals, and what is equal in JSON."""

import json
import math
from typing import Any

import numpy
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rgenv.tasks.answers.values import MISSING, are_equal, read_value
from tests.support.timing import processor_seconds

CYCLE: list[Any] = [1]
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ((1, [2]), [1, (2,)], True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({1: "x", None: 2}, {"1": "x", "null": 2}, True),
        (5, 5.0, True),
        (0.1 + 0.2, 0.3, True),
        (math.nan, math.nan, True),
        (numpy.float64(2.5), 2.5, True),
        (numpy.str_("x"), "x", True),
        (10**400, 10**400, True),
        (True, 1, False),
        (0, False, False),
        (None, 0, False),
        ("1", 1, False),
        ("", None, False),
        ([], {}, False),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ({"a": 1}, {"a": 1, "b": 1}, False),
        (0.3, 0.3000001, False),
        (1e-15, 0.0, False),
        (10**400, 10**400 + 1, False),
        (10**400, 1.5, False),
        ({1}, [1], False),
        (CYCLE, [1, [1, [1, 2]]], False),
        (object(), "x", False),
    ],
)
def test_values_are_equal_or_not(one: Any, other: Any, equal: bool) -> None:
    assert are_equal(one, other) is are_equal(other, one) is equal


@given(st.floats(min_value=1e-3, max_value=1e6), st.integers(6, 12), st.integers(1, 9))
def test_a_wrong_digit_never_counts(number: float, digits: int, change: int) -> None:
    text = f"{number:.{digits - 1}e}"
    assert are_equal(read_value(text), number, rounded=True)
    mantissa, exponent = text.split("e")
    other = f"{mantissa[:-1]}{(int(mantissa[-1]) + change) % 10}e{exponent}"
    assume(abs(float(other) - number) > 1e-8 * number)
    assert not are_equal(read_value(other), number, rounded=True) or _is_tie(number, text, other)


def _is_tie(number: float, text: str, other: str) -> bool:
    return math.isclose(abs(float(text) - number), abs(float(other) - number), rel_tol=1e-6)


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc_"), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_json_and_python_forms_are_read_alike(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, separators=(",", ":")), repr(value)):
        assert read_value(text) == value


LONG = ["[" * 1_000 + "]" * 1_000, "(" * 90 + ")" * 90, "9" * 5_000, "-" * 10_000 + "1"]


@pytest.mark.parametrize("text", [*LONG, "{" + '"a": {' * 200 + "}" * 200])
def test_nests_are_not_read_and_cost_no_time(text: str) -> None:
    with processor_seconds(1.0):
        assert read_value(text) is MISSING


def test_what_is_not_finite_is_read() -> None:
    assert read_value("[Infinity, -Infinity]") == [float("inf"), -float("inf")]
    assert str(read_value("{'a': nan}")["a"]) == "nan"
