"""rgenv/runtime/json_lines.py: appending lines, and cutting incomplete ones."""

import errno
import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rgenv.runtime.json_lines import JsonLines
from tests.support.paths import ROOT
from tests.support.programs import run_python

LINES = b'{"n": 1}\n{"n": 2}\n'


def opened(path: Path) -> JsonLines:
    lines = JsonLines(path, new=True)
    for n in (1, 2):
        lines.append({"n": n})
    return lines


def test_lines_are_appended_after_an_incomplete_one_too(tmp_path: Path) -> None:
    """A new file takes no name that exists; only this user can read it."""
    lines = opened(path := tmp_path / "a.jsonl")
    assert path.read_bytes() == LINES  # before it is closed
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        JsonLines(path, new=True)
    with path.open("ab") as file:  # what a killed process left stays, on a line of its own
        file.write(b'{"n": 3')
    JsonLines(path).append({"n": 4})
    lines.append({"n": 5})
    assert path.read_bytes() == LINES + b'{"n": 3\n{"n": 4}\n{"n": 5}\n'


def test_a_full_disk_leaves_no_part_of_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, real = opened(tmp_path / "a.jsonl"), os.write
    sizes = iter([3])

    def half(file: int, content: bytes) -> int:
        if (size := next(sizes, None)) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(file, content[:size])

    with monkeypatch.context() as full:
        full.setattr("rgenv.runtime.json_lines.os.write", half)
        with pytest.raises(OSError, match="No space") as error:
            lines.append({"n": 3})
    assert error.value.filename == str(tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == LINES
    lines.append({"n": 4})
    assert (tmp_path / "a.jsonl").read_bytes() == LINES + b'{"n": 4}\n'


CUTS = """
import sys
from pathlib import Path
from rgenv.runtime.json_lines import cut_torn_lines
cut_torn_lines(Path(sys.argv[1]), "*.jsonl")
"""


def test_the_incomplete_line_of_a_dead_process_is_cut(tmp_path: Path) -> None:
    opened(path := tmp_path / "a.jsonl")
    with path.open("ab", buffering=0) as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        file.write(b'{"n": 3')
        cutting = subprocess.Popen([sys.executable, "-c", CUTS, str(tmp_path)], cwd=ROOT)
        time.sleep(0.5)
        file.write(b"}\n")
    assert cutting.wait(60) == 0 and path.read_bytes() == LINES + b'{"n": 3}\n'
    with path.open("ab") as file:
        file.write(b'{"n": 4')
    run_python("-c", CUTS, str(tmp_path))
    assert path.read_bytes() == LINES + b'{"n": 3}\n'
