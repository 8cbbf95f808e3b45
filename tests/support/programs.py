"""Run Python in a process of its own."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.paths import ROOT


def run_python(
    *words: str,
    given: str = "",
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run Python with `given` as its input, to its end; a program that hangs is ended.

    Args:
        check: whether another exit code than 0 fails the test.
    """
    command = [sys.executable, *words]
    done = subprocess.run(
        command, input=given, cwd=cwd, env=env, capture_output=True, text=True, timeout=300
    )
    assert not check or done.returncode == 0, done.stderr
    return done
