"""Run Python in a process of its own."""

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.paths import ROOT


def run_python(
    *words: str,
    given: str = "",
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run Python with `given` as its input, to its end; a program that hangs is ended."""
    command = [sys.executable, *words]
    done = subprocess.run(
        command, input=given, cwd=cwd, env=env, capture_output=True, text=True, timeout=300
    )
    assert not check or done.returncode == 0, done.stderr
    return done


def signalled(program: str, pauses: Sequence[float] = (0,)) -> tuple[int, list[str], str]:
    """Run a program, and end it after its first line and each pause: its code, words and stderr."""
    command, pipe = [sys.executable, "-c", program], subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stdout is not None
        first = child.stdout.readline()
        for pause in pauses:
            time.sleep(pause)
            child.terminate()
        out, err = child.communicate()
    return child.returncode, (first + out).split(), err
