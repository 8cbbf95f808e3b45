"""rgenv/storage/files.py: sizes are limited; what is created is private."""

import os
import tracemalloc
from pathlib import Path

import pytest

from rgenv.storage.files import make_folder, open_private, parse_json, read_file, read_lines


@pytest.fixture(autouse=True)
def _working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_text("secret")


def test_what_is_created_is_private(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o775)
    folder = tmp_path / "open" / "run" / "deep"
    make_folder(folder)
    os.close(open_private(folder / "a", os.O_RDWR))
    modes = [path.stat().st_mode & 0o777 for path in (folder, folder.parent, folder / "a")]
    assert modes == [0o700, 0o700, 0o600]
    assert folder.parent.parent.stat().st_mode & 0o777 == 0o775


def test_a_file_where_a_folder_is_needed_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError) as refused:
        make_folder(tmp_path / "secret" / "run")
    assert refused.value.filename == str(tmp_path / "secret")


def test_sizes_are_limited(tmp_path: Path) -> None:
    """A file of a terabyte of zeros, which takes no room on disk, is refused at once."""
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(OSError, match="more than 1024 MB"):
        read_file(tmp_path / "huge")
    with pytest.raises(OSError, match="more than 10 kB"):
        read_file(tmp_path / "huge", at_most=10 << 10)
    with pytest.raises(OSError, match="a line of more than 1 MB"):
        next(iter(read_lines(tmp_path / "huge", at_most=1 << 20)))


@pytest.mark.parametrize("content", [b"[" * 10**6, b'{"a":' * 10**6, b"{", b"\xff", b"1" * 10**5])
def test_bad_json_is_one_kind_of_error(content: bytes) -> None:
    """Depth, encoding and size of numbers included."""
    with pytest.raises(ValueError):
        parse_json(content)


def test_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    """However much may be read; a file of the system has no size that is known before."""
    (tmp_path / "small").write_bytes(b"x" * 100)
    tracemalloc.start()
    read_file(tmp_path / "small")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1 << 20
    assert read_file(Path("/proc/self/status"))
