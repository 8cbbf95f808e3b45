"""rgenv/export/completions.py: which completions may be exported, with their whole texts."""

import json
from typing import Any

import pytest

from rgenv.export.completions import Usable, unicode_only, usable
from rgenv.runtime.saved_lines import SavedGroup, read_line
from tests.support.viewed import row


def read(line: Any) -> Usable:
    """Return what may be exported of a line."""
    group = read_line(json.dumps(line).encode(), "")
    assert isinstance(group, SavedGroup)
    return usable(group)


def texts(*written: str, **metadata: Any) -> list[str]:
    """Return the texts that are exported of a group with these completions."""
    found = read(row("g", [1.0] * len(written), texts=written, **metadata))
    return [completion.text for completion in found.completions]


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"finish_reasons": ["length", "stop"]}, "cut"),
        *[({"verdicts": [kind, "scored"]}, "failed") for kind in ("error", "timeout", "crashed")],
        ({"verdicts": ["new_kind", "scored"]}, "failed"),
        ({"verdicts": None}, "unjudged"),
        ({"finish_reasons": None}, "unjudged"),
        ({"raw_scores": [7.0, 1.0]}, "failed"),
    ],
)
def test_what_is_never_exported(metadata: dict[str, Any], reason: str) -> None:
    """A completion that was cut, not scored, or of which the file does not say is left out."""
    found = read(row("g", [1.0, 1.0], **metadata))
    left_out = 2 if None in metadata.values() else 1
    assert len(found.completions) == 2 - left_out
    assert found.left_out == {reason: left_out}


def test_a_completion_without_text_is_left_out() -> None:
    """Blanks are no completion."""
    assert read(row("g", [0.0], texts=[" \n"])).left_out == {"empty": 1}


def test_thinking_that_the_prompt_opened() -> None:
    """A message begins with what its prompt ended with; nothing else is changed."""
    assert texts("Hm.</think>5", "Hm, hm.", opening="<think>\n") == [
        "<think>\nHm.</think>5",
        "<think>\nHm, hm.",
    ]
    assert texts("Hm.</think>5") == ["Hm.</think>5"]


def test_conversations_that_are_none_are_left_out() -> None:
    """Contents that are no texts, other prompts and other last speakers are not exported."""
    line = row("g", [1.0] * 5)
    line["rollouts"][1]["conversation"][1]["content"] = "Another question?"
    line["rollouts"][2]["conversation"][-1]["role"] = "user"
    line["rollouts"][3]["conversation"][0]["content"] = [{"type": "text"}]
    line["rollouts"][4]["conversation"] = []
    assert [completion.index for completion in read(line).completions] == [0]


def test_half_a_surrogate_pair_is_replaced() -> None:
    """No file format can hold it; whole pairs and all other characters stay."""
    assert unicode_only("a\ud800b\ufeff\u2028😀\ud83d\ude00") == "a\ufffdb\ufeff\u2028😀😀"
