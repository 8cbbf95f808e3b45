"""JSON and Python literals are read, everything else is not."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.programs.reading import MISSING, read_value
from tests.support.timing import processor_seconds

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
    """Any value is read from its JSON, with or without spaces, and from Python's repr."""
    for text in (json.dumps(value), json.dumps(value, separators=(",", ":")), repr(value)):
        assert read_value(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': (1, 2), 'b': None}", {"a": [1, 2], "b": None}),
        ("{1: True, None: -2}", {"1": True, "null": -2}),
        ("[true, False, 'x']", [True, False, "x"]),
        ("-1.50", -1.5),
        (" 7 ", 7),
    ],
)
def test_values_are_read(text: str, value: Any) -> None:
    """JSON and Python may be mixed; keys are strings and tuples are lists."""
    assert read_value(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "__import__('os')",
        "[x for x in (1,)]",
        "f'{1}'",
        "b'1'",
        "1j",
        "...",
        "{1, 2}",
        "1 + 1",
        "not True",
        "--1",
        '{"a": 1, "a": 2}',
        "{'a': 1, 'a': 2}",
        "{1: 1, '1': 2}",
        "{**{}}",
        "[1] # or [2]",
        "[1, # prose\n 2]",
        "NaN",
        "[Infinity]",
        "1e999",
        "[" * 1_000 + "]" * 1_000,
        "(" * 90 + ")" * 90,
        "9" * 5_000,
        "-" * 10_000 + "1",
        "{" + '"a": {' * 200 + "}" * 200,
    ],
)
def test_other_texts_are_not_read(text: str) -> None:
    """Calls, formulas, ambiguous objects, comments and nests are not read, and cost no time."""
    with processor_seconds(1.0):
        value = read_value(text)
        assert value is MISSING or value == float("inf")


def test_what_is_not_finite_is_read_on_request() -> None:
    """NaN and Infinity are read where an output may hold them."""
    assert read_value("[Infinity, -Infinity]", finite=False) == [float("inf"), -float("inf")]
    assert str(read_value("{'a': nan}", finite=False)["a"]) == "nan"
