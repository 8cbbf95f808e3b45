"""rgenv/runtime/files.py: what is created is private, and replaced as a whole."""

import errno
import os
from pathlib import Path

import pytest

from rgenv.runtime.files import parse_json, write_atomic


def test_what_is_created_is_private(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o775)
    before = os.umask(0o022)
    write_atomic(tmp_path / "open" / "run" / "deep" / "a", b"")
    os.umask(before)
    modes = [path.stat().st_mode & 0o777 for path in sorted(tmp_path.rglob("*"))]
    assert modes == [0o775, 0o755, 0o700, 0o600]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_refuses_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "report.html"
    write_atomic(path, b"old")

    def refuse(*_: object) -> None:
        assert path.read_bytes() == b"old"
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*((os, "fsync") if step == "fsync" else (Path, "replace")), refuse)
    with pytest.raises(OSError, match="No space left") as refused:
        write_atomic(path, b"new")
    if step == "fsync":  # the system names no file where a write fails
        assert refused.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"[" * 10**6, b"{", b"\xff", b"NaN", b"1e999"])
def test_bad_json_is_one_kind_of_error(content: bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(content)
