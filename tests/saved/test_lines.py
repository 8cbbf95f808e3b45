"""rgenv/saved/lines.py: what one line says; tests/viewing/test_rows.py reads saved groups."""

import json

import pytest

from rgenv.saved.lines import SavedGroup, read_line
from tests.support.samples import sample


def test_a_sample() -> None:
    """A sample belongs to the group of its problem; a failed one has its reason."""
    found = read_line(json.dumps(sample("gcd", 7, 1.0, index=3)).encode(), "a.jsonl:1")
    assert isinstance(found, SavedGroup)
    assert (found.kind, found.group, found.index) == ("samples", "gcd/7/none", 3)
    failed = read_line(json.dumps(sample("gcd", 7, None)).encode(), "a.jsonl:1")
    assert isinstance(failed, SavedGroup) and failed.failure == "no reply"


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[1]", b"null", b"\xff", b"[" * 10**5, b'{"step": "x"}']
)
def test_foreign_lines(line: bytes) -> None:
    assert read_line(line, "a:1") is None
