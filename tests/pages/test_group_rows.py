"""rgenv/pages/group_rows.py: what one line says."""

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from rgenv.pages.group_rows import MAX_TEXT, Row, read_line
from tests.support.viewed import row


def read(line: Any) -> Row:
    found = read_line(json.dumps(line).encode(), "a.jsonl:1")
    assert isinstance(found, Row)
    return found


def test_thinking_that_the_prompt_opened() -> None:
    """A completion that begins inside thinking shows no answer where none was extracted."""
    found = read(row("g", [0.0], texts=["hm <answer>1</answer>"], opening="<think>\n"))
    assert found.texts()["completions"][0]["parts"] == [["thinking", "hm <answer>1</answer>"]]
    assert str(2**62 + 1) in found.texts()["recipe"]


def test_long_texts_are_shortened() -> None:
    found = read(row("g", [1.0], texts=["<think>" + "a" * 10**6 + "z</think><answer>42</answer>"]))
    assert found.texts() is not None
    pieces = found.texts()["completions"][0]["parts"]
    assert sum(len(text) for _, text in pieces) < 1.2 * MAX_TEXT
    assert "characters are not in this page" in pieces[0][1]
    assert pieces[0][1].endswith("z</think>")
    assert ["answer", "42"] in pieces
    assert found.rollouts[0].characters > 10**6


NAMES = st.sampled_from("raw_scores verdicts content score conversation kinds recipe".split())
json_values = st.recursive(
    st.sampled_from([None, True, 0, -1, 10**400, 0.5, float("nan"), float("inf"), "", "length"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
KEYS = "rollouts scores masks messages group_overrides metadata question id task step time".split()


@given(st.dictionaries(st.sampled_from(KEYS), json_values))
@example(row("g", texts=[3, {"a": "b"}]))
def test_no_line_breaks_the_reading(line: dict[str, Any]) -> None:
    """Whatever a line holds, texts are texts, and what is read can be written as strict JSON."""
    found = read_line(json.dumps(line).encode(), "a:1")
    if isinstance(found, Row):
        assert all(isinstance(rollout.text, str) for rollout in found.saved.rollouts)
        json.dumps(found.texts(), allow_nan=False)
        json.dumps([[o.reward, o.score, o.tokens] for o in found.rollouts], allow_nan=False)
