"""A command under demo.parent_death ends when its parent dies."""

import os
import signal
import subprocess
import sys

import pytest

from tests.support.paths import ROOT
from tests.support.processes import ends_within, is_alive

MODULE = [sys.executable, "-m", "demo.parent_death"]
SLEEP = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"


def test_the_command_ends_when_the_parent_is_killed() -> None:
    """SIGKILL for the parent ends the command."""
    code = (
        "import os, subprocess, sys; module, sleep = sys.argv[1:4], sys.argv[4];"
        "subprocess.run([*module, str(os.getpid()), sys.executable, '-c', sleep])"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, *MODULE, SLEEP], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    with parent:
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()
    assert ends_within(pid, seconds=30)


def test_a_signal_ends_the_command() -> None:
    """SIGTERM for the wrapper ends the command; the exit code is 143."""
    wrapper = subprocess.Popen(
        [*MODULE, str(os.getpid()), sys.executable, "-c", SLEEP],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with wrapper:
        pid = int(wrapper.stdout.readline())
        wrapper.terminate()
        assert wrapper.wait(timeout=60) == 128 + signal.SIGTERM
    assert ends_within(pid, seconds=10)


@pytest.mark.parametrize(
    ("code", "expected"), [("exit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 137)]
)
def test_the_exit_code_is_that_of_the_command(code: str, expected: int) -> None:
    """A death by signal n gives 128 + n, as in a shell."""
    words = [str(os.getpid()), sys.executable, "-c", code]
    assert subprocess.run([*MODULE, *words], cwd=ROOT, timeout=60).returncode == expected
