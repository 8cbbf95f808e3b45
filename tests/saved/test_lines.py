"""rgenv/saved/lines.py: what one line says."""

import json
from typing import Any

import pytest

from rgenv.saved.lines import SavedGroup, read_line
from tests.support.samples import sample
from tests.support.viewed import row


def read(line: Any) -> SavedGroup:
    """Read a line that must be a group."""
    found = read_line(json.dumps(line).encode(), "a.jsonl:1")
    assert isinstance(found, SavedGroup)
    return found


def test_a_saved_group() -> None:
    """A saved group has its recipe with all digits, and whole conversations."""
    found = read(row("g1", [1.0, 0.5], texts=["a" * 10**5, "b"], completion_tokens=[9, 1]))
    assert (found.kind, found.group, found.task) == ("rollouts", "g1", "gcd")
    assert found.recipe["seed"] == 2**62 + 1
    assert [len(r.text) for r in found.rollouts] == [10**5, 1]
    assert [r.tokens for r in found.rollouts] == [9, 1]
    assert [len(r.conversation) for r in found.rollouts] == [3, 3]


def test_a_sample() -> None:
    """A sample belongs to the group of its problem; a failed one has its reason."""
    found = read(sample("gcd", 7, 1.0, index=3))
    assert (found.kind, found.group, found.index) == ("samples", "gcd/7/none", 3)
    assert read(sample("gcd", 7, None)).failure == "no reply"


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[1]", b"null", b"\xff", b"[" * 10**5, b'{"step": "x"}']
)
def test_foreign_lines(line: bytes) -> None:
    """A line that is neither group nor metrics is None."""
    assert read_line(line, "a:1") is None
