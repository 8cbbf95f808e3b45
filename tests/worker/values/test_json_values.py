"""rgenv/worker/values/json_values: JSON is read by value, with nothing twice."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.worker.values.json_values import KINDS, MAX_TEXT, parse

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


PLAN = (
    '[{"Agent[0.5, 0.5]": "move(box_red, square[0.5, 1.5])"}, '
    '{"Agent[0.5, 1.5]": "move(box_red, target_red)"}]'
)


@pytest.mark.parametrize(
    "text",
    [
        PLAN,
        PLAN.replace('"', "'"),
        PLAN.replace(", ", ","),
        json.dumps(json.loads(PLAN), indent=2),
        PLAN.replace("Agent", "agent"),
    ],
)
def test_plans_of_agents_are_written_alike(text: str) -> None:
    """Quotes and spaces do not change a plan."""
    assert KINDS["boxnet"](text, {}) == PLAN


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[[]]",
        '[{"Agent[0.5, 0.5]": 1}]',
        '[{"Agent[0.5, 0.5]": "I move(box_red, target_red)"}]',
        '[{"Robot[0.5, 0.5]": "move(box_red, target_red)"}]',
        '[{"Agent[0.5, 0.5]": "move(a, b)", "Agent[0.5,0.5]": "move(a, b)"}]',
        f"{PLAN} or so",
    ],
)
def test_other_texts_are_no_plans(text: str) -> None:
    """Agents that come twice, other actions and prose are refused."""
    assert KINDS["boxnet"](text, {}) in ("", "[]")
