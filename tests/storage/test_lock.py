"""rgenv/storage/lock.py: a lock that one process holds."""

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from rgenv.storage.lock import FileLock
from tests.support.paths import ROOT

PROGRAM = """
import sys
from pathlib import Path
from rgenv.storage.lock import FileLock

print(FileLock(Path(sys.argv[1])).acquire(), flush=True)
sys.stdin.read()
"""


def test_one_process_holds_the_lock_until_it_is_killed(tmp_path: Path) -> None:
    """Nobody has to clean up after kill -9."""
    path = tmp_path / "deep" / "run.lock"
    lock = FileLock(path)
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None and child.stdout.readline() == "True\n"
        assert not lock.acquire()
        child.kill()
    assert lock.acquire() and lock.acquire()
    assert not FileLock(path).acquire()
    lock.release()
    lock.release()
    assert FileLock(path).acquire()


def test_without_locks_in_the_file_system_everyone_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Some network file systems have none; that must not end a run, but the log says it."""

    def refuse(file: int, operation: int) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    path = tmp_path / "run.lock"
    assert FileLock(path).acquire() and FileLock(path).acquire()
    assert f"{tmp_path} has no locks" in caplog.text
