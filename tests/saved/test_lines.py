"""rgenv/saved/lines.py: what one line says."""

import pytest

from rgenv.saved.lines import read_line


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[1]", b"null", b"\xff", b"[" * 10**5, b'{"step": "x"}']
)
def test_foreign_lines(line: bytes) -> None:
    assert read_line(line, "a:1") is None
