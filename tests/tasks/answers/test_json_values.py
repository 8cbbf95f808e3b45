"""rgenv/tasks/answers/json_values.py: JSON is read by value, with nothing twice."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.answers.grids import Groups
from rgenv.tasks.answers.json_values import MAX_TEXT, JsonValue, parse

STRINGS = st.text("ab c[,]{:}", max_size=5)
VALUES = st.recursive(
    STRINGS | st.integers(-9, 9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=10,
)


@given(VALUES, st.sampled_from([json.dumps, str]))
def test_json_is_read_in_single_quotes_too(value: Any, write: Any) -> None:
    """A value that JSON or Python writes is read as that value."""
    assert parse(write(value) if not isinstance(value, str) else json.dumps(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "[" * 5_000,
        '{"a": 1, "a": 1}',
        "[NaN]",
        "[-Infinity]",
        "['a]",
        "[" + "9" * 5_000 + "]",
    ],
)
def test_other_texts_raise_value_error(text: str) -> None:
    """Broken JSON, repeated keys, deep nesting and numbers without a size are refused."""
    with pytest.raises(ValueError):
        parse(text)


def test_texts_longer_than_any_answer_are_not_read() -> None:
    """Reading stops at a length that no right answer has."""
    with pytest.raises(ValueError):
        parse(" " * MAX_TEXT + "[]")


@pytest.mark.parametrize(
    ("kind", "value", "forms"),
    [
        (JsonValue(), {"b": 1, "a": [2, 3]}, {'{"b":1,"a":[2,3]}', '{"a": [2, 3], "b": 1}'}),
        (Groups(), [["a"], ["b"]], {"[['a'], ['b']]", '[["b"], ["a"]]'}),
    ],
)
def test_forms_that_people_write(kind: JsonValue, value: Any, forms: set[str]) -> None:
    """They are among those of the kind, and all of them are read as the same value."""
    written = kind.forms(json.dumps(value), "").values()
    assert forms <= set(written)
    assert all(parse(text) in (value, value[::-1] if kind.any_order else value) for text in written)


def test_what_is_no_json_has_no_other_forms() -> None:
    """Right answers of codeio may be texts of Python."""
    assert JsonValue().forms("{1, 2}", "") == {}
