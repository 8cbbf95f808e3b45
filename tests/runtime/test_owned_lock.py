"""rgenv/runtime/owned_lock.py: a lock that one process holds."""

import errno
import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from rgenv.runtime.owned_lock import OwnedLock
from tests.support.paths import ROOT

PROGRAM = """
import sys
from pathlib import Path
from rgenv.runtime.owned_lock import OwnedLock

lock = OwnedLock(Path(sys.argv[1]))
print(lock.acquire(), flush=True)
sys.stdin.read()
"""


def test_one_process_holds_the_lock_until_it_is_killed(tmp_path: Path) -> None:
    """Others learn who that is, and nobody has to clean up after kill -9."""
    path = tmp_path / "deep" / "run.lock"
    lock = OwnedLock(path)
    words, pipe = [sys.executable, "-c", PROGRAM, str(path)], subprocess.PIPE
    with subprocess.Popen(words, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "True\n"
        assert not lock.acquire()
        assert lock.owner.startswith(f"Process {child.pid} on ")
        child.kill()
    assert lock.acquire() and lock.acquire()
    other = OwnedLock(path)
    assert not other.acquire()
    lock.release()
    lock.release()
    assert not path.exists()
    assert other.acquire()


def test_without_locks_in_the_file_system_everyone_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Some network file systems have none; that must not end a run, but the log says it."""

    def refuse(file: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    path = tmp_path / "run.lock"
    first, second = OwnedLock(path), OwnedLock(path)
    assert first.acquire() and second.acquire()
    assert f"{tmp_path} has no locks" in caplog.text
    first.release()
    second.release()
    assert not path.exists()
