"""rgenv/storage/journal.py: a file that survives what happens to its process."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.storage import journal
from rgenv.storage.journal import Journal, Recovered, recover

LINES = [b'{"n": 1}\n', b'{"n": 2}\n']
PATTERN = "*.jsonl"


def started(folder: Path, name: str = "a.jsonl", lines: list[bytes] = LINES) -> Journal:
    made = Journal(folder / name)
    for line in lines:
        made.append(line)
    return made


def abandoned(folder: Path, content: bytes, name: str = "a.jsonl") -> Path:
    """What a killed process leaves."""
    path = folder / (name + ".partial")
    path.write_bytes(content)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_final_name_comes_all_at_once(tmp_path: Path) -> None:
    """Before `finish` there is the working name, after it the final one, with every line."""
    work = started(tmp_path)
    assert names(tmp_path) == ["a.jsonl.partial"]
    work.finish()
    assert names(tmp_path) == ["a.jsonl"]
    assert (tmp_path / "a.jsonl").read_bytes() == b"".join(LINES)


@pytest.mark.parametrize("taken", ["a.jsonl", "a.jsonl.partial"])
def test_a_name_that_is_taken_is_refused(tmp_path: Path, taken: str) -> None:
    """Neither a finished nor an unfinished file is ever written over."""
    (tmp_path / taken).write_bytes(b"theirs")
    with pytest.raises(FileExistsError):
        Journal(tmp_path / "a.jsonl")
    assert names(tmp_path) == [taken] and (tmp_path / taken).read_bytes() == b"theirs"


def test_a_living_process_keeps_its_file(tmp_path: Path) -> None:
    """Recovery passes over a journal that is being written; it goes on as if nothing happened."""
    work = started(tmp_path)
    code = (
        f"from rgenv.storage.journal import *; print(recover(Path({str(tmp_path)!r}), {PATTERN!r}))"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == "[]"
    work.append(b'{"n": 3}\n')
    work.finish()
    assert len((tmp_path / "a.jsonl").read_bytes().splitlines()) == 3


def test_a_dead_process_loses_no_line(tmp_path: Path) -> None:
    """Whole lines get the final name, and the torn last one is set aside under its own."""
    abandoned(tmp_path, b"".join(LINES) + b'{"n": 3')
    final, torn = tmp_path / "a.jsonl", tmp_path / "a.jsonl.torn"
    assert recover(tmp_path, PATTERN) == [Recovered(final, 2, torn)]
    assert final.read_bytes() == b"".join(LINES) and torn.read_bytes() == b'{"n": 3'
    assert names(tmp_path) == ["a.jsonl", "a.jsonl.torn"]
    assert recover(tmp_path, PATTERN) == []


def test_lines_that_were_written_whole_need_no_torn_file(tmp_path: Path) -> None:
    """A process that died between two lines leaves a good file, and one without lines none."""
    abandoned(tmp_path, LINES[0])
    abandoned(tmp_path, b"", name="b.jsonl")
    recover(tmp_path, PATTERN)
    assert names(tmp_path) == ["a.jsonl"]


@given(lines=st.lists(st.binary(max_size=20)), cut=st.integers(0, 400))
def test_recovery_keeps_every_whole_line_and_every_byte(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], cut: int
) -> None:
    """Wherever the file was cut, its bytes are in the final file or in the torn one."""
    folder = tmp_path_factory.mktemp("cut")
    good = [b'{"n": %d}\n' % number for number in range(len(lines))]
    mixed = b"".join(pair for both in zip(good, lines, strict=True) for pair in both)
    abandoned(folder, content := mixed[:cut])
    recover(folder, PATTERN)
    kept = b"".join(path.read_bytes() for path in folder.iterdir())
    assert sorted(kept) == sorted(content)
    final = folder / "a.jsonl"
    for line in final.read_bytes().splitlines(keepends=True) if final.exists() else []:
        assert line.endswith(b"\n") and journal._is_whole(line)
    assert not list(folder.glob("*.partial"))


def test_a_finished_file_is_never_replaced_by_recovery(tmp_path: Path) -> None:
    """Where both names are taken, both files stay."""
    (tmp_path / "a.jsonl").write_bytes(LINES[0])
    abandoned(tmp_path, LINES[1])
    assert recover(tmp_path, PATTERN) == []
    assert (tmp_path / "a.jsonl").read_bytes() == LINES[0]
    assert (tmp_path / "a.jsonl.partial").read_bytes() == LINES[1]


def test_a_full_disk_leaves_nothing_of_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that stops half way is taken back, and the next one stands where it belongs."""
    work = started(tmp_path)
    real = os.pwrite

    def half(file: int, view: memoryview, offset: int) -> int:
        if offset > sum(map(len, LINES)):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(file, view[: len(view) // 2], offset)

    with monkeypatch.context() as disk:
        disk.setattr(journal.os, "pwrite", half)
        with pytest.raises(OSError, match="No space"):
            work.append(b'{"n": 3}\n')
    assert work.path.read_bytes() == b"".join(LINES) and not work.lost
    work.append(b'{"n": 4}\n')
    work.finish()
    assert (tmp_path / "a.jsonl").read_bytes() == b"".join(LINES) + b'{"n": 4}\n'


def test_what_could_not_be_taken_back_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When neither writing nor cutting back works, the file is lost until it is rewritten."""
    work = started(tmp_path)

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as disk:
        disk.setattr(journal.os, "pwrite", refuse)
        disk.setattr(journal.os, "ftruncate", refuse)
        with pytest.raises(OSError, match="Input/output"):
            work.append(b'{"n": 3}\n')
    assert work.lost
    work.rewrite()
    assert not work.lost
    assert work.path.read_bytes() == b"".join(LINES)


def test_a_deleted_file_is_written_again(tmp_path: Path) -> None:
    """A file that somebody deleted is known as lost and comes back with all its lines."""
    work = started(tmp_path)
    assert not work.lost
    work.path.unlink()
    assert work.lost
    work.rewrite()
    work.append(b'{"n": 3}\n')
    work.finish()
    assert (tmp_path / "a.jsonl").read_bytes() == b"".join(LINES) + b'{"n": 3}\n'
    assert names(tmp_path) == ["a.jsonl"]


@pytest.mark.parametrize("first_is_gone", [True, False])
def test_a_process_that_died_while_rewriting_leaves_one_copy(
    tmp_path: Path, first_is_gone: bool
) -> None:
    """The copy counts when the first file is gone, and is dropped when it is not."""
    (tmp_path / "a.jsonl.partial.again").write_bytes(LINES[0])
    if not first_is_gone:
        abandoned(tmp_path, b"".join(LINES))
    recover(tmp_path, PATTERN)
    assert names(tmp_path) == ["a.jsonl"]
    expected = LINES[0] if first_is_gone else b"".join(LINES)
    assert (tmp_path / "a.jsonl").read_bytes() == expected


def test_without_locks_nothing_is_recovered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nobody can tell the living from the dead, files stay as they are."""
    abandoned(tmp_path, LINES[0])

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(journal.fcntl, "flock", refuse)
    assert recover(tmp_path, PATTERN) == []
    assert names(tmp_path) == ["a.jsonl.partial"]
    started(tmp_path, "b.jsonl").finish()
    assert "b.jsonl" in names(tmp_path)
