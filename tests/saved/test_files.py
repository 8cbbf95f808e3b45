"""rgenv.saved.files.py: finding the files of a run, and reading their lines."""

from pathlib import Path

import pytest

from rgenv.saved import files
from rgenv.saved.files import Reader, found_files


def contents(reader: Reader) -> list[bytes | None]:
    return [line.content for line in reader.lines()]


def test_files_are_found_at_any_depth(tmp_path: Path) -> None:
    names = ["a.jsonl", "b/c.jsonl", "b/progress.jsonl", ".git/x.jsonl", "d.jsonl.tmp"]
    for name in [*names, "b/d.json"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"{}\n")
    found = [path.relative_to(tmp_path).as_posix() for path in found_files([tmp_path])]
    assert found == ["a.jsonl", "b/c.jsonl"]
    assert found_files([tmp_path / "b" / "d.json"]) == [tmp_path / "b" / "d.json"]


def test_an_incomplete_last_line_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"1\n2")
    assert contents(Reader([tmp_path])) == [b"1\n", b"2"]


def test_a_file_with_two_names_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"1\n")
    (tmp_path / "b.txt").hardlink_to(tmp_path / "a.jsonl")
    roots = [tmp_path / "b.txt", tmp_path / "a.jsonl"]
    assert contents(Reader(roots)) == [b"1\n"]


def test_a_line_without_end_takes_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 10)
    (tmp_path / "a.jsonl").write_bytes(b"x" * 35 + b"\n2\n" + b"y" * 25)
    reader = Reader([tmp_path])
    assert contents(reader) == [None, b"2\n"]
    assert [line.number for line in Reader([tmp_path]).lines()] == [1, 2]
