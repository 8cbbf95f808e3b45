"""rgenv/saved/lines.py: what one line says."""

import json
from typing import Any

import pytest

from rgenv.saved.lines import LastGroups, SavedGroup, read_line
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


def saved(group: str, time: float | None, run: str = "r") -> SavedGroup:
    return SavedGroup("rollouts", group, "gcd", [], time=time, recipe={"seed": 1}, run=run)


def test_the_group_with_the_latest_time_counts() -> None:
    """Files may be read in any order, and twice; of equal times, the group read last counts."""
    last = LastGroups()
    assert last.add(saved("b", 2.0)) == ""
    assert last.add(saved("b", 2.0)) == ""
    assert last.add(saved("a", 1.0)) == "a"
    assert last.add(saved("c", 2.0)) == "b"
    assert last.add(saved("old", None)) == "old"


def test_groups_of_other_runs_and_of_none_count() -> None:
    """Without a run, nothing tells whether a group is of another run."""
    last = LastGroups()
    groups = [saved("a", 1.0), saved("b", 1.0, "s"), saved("c", 1.0, ""), saved("d", 1.0, "")]
    assert [last.add(group) for group in groups] == [""] * 4
