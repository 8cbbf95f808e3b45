"""rgenv.saved.files.py: finding the files of a run, and reading what is new in them."""

import os
from pathlib import Path

import pytest

from rgenv.saved import files
from rgenv.saved.files import Reader, found_files


def contents(reader: Reader, *, last: bool = False) -> list[bytes | None]:
    return [line.content for line in reader.lines(last=last)]


def test_files_are_found_at_any_depth(tmp_path: Path) -> None:
    names = ["a.jsonl", "b/c.jsonl", "b/progress.jsonl", ".git/x.jsonl", "d.jsonl.tmp"]
    for name in [*names, "b/d.json"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"{}\n")
    found = [path.relative_to(tmp_path).as_posix() for path in found_files([tmp_path])]
    assert found == ["a.jsonl", "b/c.jsonl"]
    assert found_files([tmp_path / "b" / "d.json"]) == [tmp_path / "b" / "d.json"]


def test_only_new_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n2\n3")
    reader = Reader([tmp_path])
    assert contents(reader) == [b"1\n", b"2\n"]
    assert contents(reader) == []
    with path.open("ab") as file:
        file.write(b"3\n4\n")
    assert contents(reader) == [b"33\n", b"4\n"]


def test_an_incomplete_last_line_is_read_if_nobody_completes_it(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"1\n2")
    assert contents(Reader([tmp_path]), last=True) == [b"1\n", b"2"]


def test_a_renamed_file_is_the_same_file(tmp_path: Path) -> None:
    working, final = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    working.write_bytes(b"1\n")
    reader = Reader([tmp_path])
    assert contents(reader) == [b"1\n"]
    with working.open("ab") as file:
        file.write(b"2\n")
    working.rename(final)
    [line] = reader.lines()
    assert (line.path, line.number, line.content) == (final, 2, b"2\n")


def test_a_shorter_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n2\n")
    reader = Reader([tmp_path])
    assert len(contents(reader)) == 2
    path.write_bytes(b"3\n")
    assert contents(reader) == [b"3\n"]


def test_a_line_without_end_takes_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 10)
    (tmp_path / "a.jsonl").write_bytes(b"x" * 35 + b"\n2\n" + b"y" * 25)
    reader = Reader([tmp_path])
    assert contents(reader) == [None, b"2\n"]
    assert [line.number for line in Reader([tmp_path]).lines()] == [1, 2]


def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "c.jsonl").write_bytes(b"1\n")
    assert contents(Reader([tmp_path])) == [b"1\n"]


def test_a_link_in_a_folder_is_not_followed_but_one_that_is_named_is(tmp_path: Path) -> None:
    """Somebody else may have put it there; the page says that it is left out."""
    folder, secret = tmp_path / "run", tmp_path / "secret"
    folder.mkdir()
    secret.write_bytes(b"1\n")
    link = folder / "a.jsonl"
    link.symlink_to(secret)
    reader = Reader([folder])
    assert contents(reader) == [] and "symbolic link" in reader.unreadable[link]
    assert contents(Reader([link])) == [b"1\n"]
