"""rgenv/storage/journal.py: writing, repairing and recovering journals."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.storage import journal
from rgenv.storage.journal import Journal, Recovered, finish_abandoned, recover

LINES = [b'{"n": 1}\n', b'{"n": 2}\n']
PATTERN = "*.jsonl"


def open_journal(folder: Path, name: str = "a.jsonl") -> Journal:
    """Return a journal that holds LINES and is not finished."""
    opened = Journal(folder / name)
    for line in LINES:
        opened.append(line)
    return opened


def leave_partial(folder: Path, content: bytes, name: str = "a.jsonl") -> None:
    """Write the working file that a killed process leaves behind."""
    (folder / (name + ".partial")).write_bytes(content)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_finish_gives_the_final_name(tmp_path: Path) -> None:
    """Until `finish` only the working name exists, afterwards only the final one."""
    work = open_journal(tmp_path)
    assert names(tmp_path) == ["a.jsonl.partial"]
    work.finish()
    assert names(tmp_path) == ["a.jsonl"]
    assert (tmp_path / "a.jsonl").read_bytes() == b"".join(LINES)


@pytest.mark.parametrize("taken", ["a.jsonl", "a.jsonl.partial"])
def test_an_existing_file_is_refused(tmp_path: Path, taken: str) -> None:
    """Neither a finished nor an unfinished file is overwritten."""
    (tmp_path / taken).write_bytes(b"other")
    with pytest.raises(FileExistsError):
        Journal(tmp_path / "a.jsonl")
    assert names(tmp_path) == [taken] and (tmp_path / taken).read_bytes() == b"other"


def test_the_journal_of_a_running_process_is_not_recovered(tmp_path: Path) -> None:
    """Recovery in another process skips a locked journal, whose owner can go on writing."""
    work = open_journal(tmp_path)
    code = (
        f"from rgenv.storage.journal import *; print(recover(Path({str(tmp_path)!r}), {PATTERN!r}))"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == "[]"
    work.append(b'{"n": 3}\n')
    work.finish()
    assert len((tmp_path / "a.jsonl").read_bytes().splitlines()) == 3


def test_recovery_keeps_whole_lines_and_moves_the_rest(tmp_path: Path) -> None:
    """Whole lines go to the final file, an incomplete last line to the torn file."""
    leave_partial(tmp_path, b"".join(LINES) + b'{"n": 3')
    final, torn = tmp_path / "a.jsonl", tmp_path / "a.jsonl.torn"
    assert recover(tmp_path, PATTERN) == [Recovered(final, 2, torn)]
    assert final.read_bytes() == b"".join(LINES) and torn.read_bytes() == b'{"n": 3'
    assert names(tmp_path) == ["a.jsonl", "a.jsonl.torn"]
    assert recover(tmp_path, PATTERN) == []


def test_recovery_without_an_incomplete_line_makes_no_torn_file(tmp_path: Path) -> None:
    """Whole lines alone give only a final file, and an empty journal gives no file."""
    leave_partial(tmp_path, LINES[0])
    leave_partial(tmp_path, b"", name="b.jsonl")
    recover(tmp_path, PATTERN)
    assert names(tmp_path) == ["a.jsonl"]


@given(lines=st.lists(st.binary(max_size=20)), cut=st.integers(0, 400))
def test_recovery_keeps_every_whole_line_and_every_byte(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], cut: int
) -> None:
    """Wherever a file was cut, each of its bytes is in the final file or in the torn file."""
    folder = tmp_path_factory.mktemp("cut")
    good = [b'{"n": %d}\n' % number for number in range(len(lines))]
    mixed = b"".join(pair for both in zip(good, lines, strict=True) for pair in both)
    leave_partial(folder, content := mixed[:cut])
    recover(folder, PATTERN)
    kept = b"".join(path.read_bytes() for path in folder.iterdir())
    assert sorted(kept) == sorted(content)
    final = folder / "a.jsonl"
    for line in final.read_bytes().splitlines(keepends=True) if final.exists() else []:
        assert line.endswith(b"\n")
        json.loads(line)
    assert not list(folder.glob("*.partial"))


def test_recovery_never_replaces_a_finished_file(tmp_path: Path) -> None:
    """If the final and the working file exist, both stay unchanged."""
    (tmp_path / "a.jsonl").write_bytes(LINES[0])
    leave_partial(tmp_path, LINES[1])
    assert recover(tmp_path, PATTERN) == []
    assert (tmp_path / "a.jsonl").read_bytes() == LINES[0]
    assert (tmp_path / "a.jsonl.partial").read_bytes() == LINES[1]


def test_a_full_disk_leaves_no_part_of_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A half-written line is removed, and the next line follows the last whole one."""
    work = open_journal(tmp_path)
    real = os.pwrite

    def half(file: int, view: memoryview, offset: int) -> int:
        if offset > sum(map(len, LINES)):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(file, view[: len(view) // 2], offset)

    with monkeypatch.context() as disk:
        disk.setattr(journal.os, "pwrite", half)
        with pytest.raises(OSError, match="No space"):
            work.append(b'{"n": 3}\n')
    assert work.path.read_bytes() == b"".join(LINES) and not work.needs_rewrite
    work.append(b'{"n": 4}\n')
    work.finish()
    assert (tmp_path / "a.jsonl").read_bytes() == b"".join(LINES) + b'{"n": 4}\n'


def test_a_damaged_file_is_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If writing and truncating both fail, the journal needs a rewrite, which restores it."""
    work = open_journal(tmp_path)

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as disk:
        disk.setattr(journal.os, "pwrite", refuse)
        disk.setattr(journal.os, "ftruncate", refuse)
        with pytest.raises(OSError, match="Input/output"):
            work.append(b'{"n": 3}\n')
    assert work.needs_rewrite
    work.rewrite()
    assert not work.needs_rewrite
    assert work.path.read_bytes() == b"".join(LINES)


def test_a_deleted_file_is_rewritten(tmp_path: Path) -> None:
    """A deleted file is noticed, and a rewrite restores all its lines."""
    work = open_journal(tmp_path)
    assert not work.needs_rewrite
    work.path.unlink()
    assert work.needs_rewrite
    work.rewrite()
    work.append(b'{"n": 3}\n')
    work.finish()
    assert (tmp_path / "a.jsonl").read_bytes() == b"".join(LINES) + b'{"n": 3}\n'
    assert names(tmp_path) == ["a.jsonl"]


@pytest.mark.parametrize("original_is_gone", [True, False])
def test_recovery_after_a_death_during_a_rewrite_leaves_one_copy(
    tmp_path: Path, original_is_gone: bool
) -> None:
    """The copy is used if the original is gone, and deleted if it is not."""
    (tmp_path / "a.jsonl.partial.again").write_bytes(LINES[0])
    if not original_is_gone:
        leave_partial(tmp_path, b"".join(LINES))
    recover(tmp_path, PATTERN)
    assert names(tmp_path) == ["a.jsonl"]
    expected = LINES[0] if original_is_gone else b"".join(LINES)
    assert (tmp_path / "a.jsonl").read_bytes() == expected


def test_without_locks_nothing_is_recovered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without locks the owner may still be running, so all files stay as they are."""
    leave_partial(tmp_path, LINES[0])

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(journal.fcntl, "flock", refuse)
    assert recover(tmp_path, PATTERN) == []
    assert names(tmp_path) == ["a.jsonl.partial"]
    open_journal(tmp_path, "b.jsonl").finish()
    assert "b.jsonl" in names(tmp_path)


def test_recovered_files_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The log names the finished file, its number of lines, and the torn file."""
    caplog.set_level("INFO", logger="rgenv")
    leave_partial(tmp_path, LINES[0] + b'{"n": 2')
    finish_abandoned(tmp_path, PATTERN)
    assert f"{tmp_path / 'a.jsonl'} of a killed run: 1 lines" in caplog.text
    assert f"{tmp_path / 'a.jsonl.torn'}" in caplog.text


def test_recovery_that_fails_is_logged_and_not_raised(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A run starts even if the files of a killed run cannot be finished, and says so."""
    leave_partial(tmp_path, b'{"n": 1')
    (tmp_path / "a.jsonl.torn").mkdir()
    finish_abandoned(tmp_path, PATTERN)
    assert "Could not finish the files of a killed run" in caplog.text
    assert (tmp_path / "a.jsonl.partial").read_bytes() == b'{"n": 1'


def test_recovery_in_a_missing_folder_does_nothing(tmp_path: Path) -> None:
    """Neither files nor folders are created."""
    finish_abandoned(tmp_path / "missing", PATTERN)
    assert list(tmp_path.iterdir()) == []
