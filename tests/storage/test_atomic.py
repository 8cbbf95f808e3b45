"""rgenv/storage/atomic.py: replacing a whole file."""

import errno
import os
from pathlib import Path

import pytest

from rgenv.storage import atomic
from rgenv.storage.atomic import replacing, write_atomic


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_refuses_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "report.html"
    write_atomic(path, b"old")

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*((os, "fsync") if step == "fsync" else (Path, "replace")), refuse)
    with pytest.raises(OSError, match="No space left") as refused:
        write_atomic(path, b"new")
    if step == "fsync":  # the system names no file where a write fails
        assert refused.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_content_is_on_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    write_atomic(path, b"old")
    seen: list[bytes] = []
    monkeypatch.setattr(atomic.os, "fsync", lambda _file: seen.append(path.read_bytes()))
    write_atomic(path, b"new")
    assert seen == [b"old"] and path.read_bytes() == b"new"


def test_a_block_that_ends_early_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with replacing(path) as file:
        file.write(b"old ")
        assert not path.exists()
        file.write(b"rows")
    with pytest.raises(KeyboardInterrupt), replacing(path) as file:
        file.write(b"new")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old rows"
    assert list(tmp_path.iterdir()) == [path]
