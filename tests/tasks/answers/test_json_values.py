"""rgenv/tasks/answers/json_values.py: JSON is read by value, with nothing twice."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.answers.json_values import parse

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
