"""rgenv/worker/sandbox.py: each layer by itself, in a process of its own, and all together."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

ATTEMPTS = """
import ctypes, mmap, os, socket, subprocess, sys, threading
from rgenv.worker import sandbox

MARKER = {marker!r}

def attempt(name, action):
    try:
        action()
    except (OSError, MemoryError) as error:
        print(name, "refused", flush=True)
    else:
        print(name, "done", flush=True)

def fork():
    if os.fork() == 0:
        os._exit(0)

def write():
    with open(MARKER, "w") as file:
        file.write("x" * 10)

def thread():
    worker = threading.Thread(target=lambda: None)
    worker.start()
    worker.join()

libc = ctypes.CDLL(None, use_errno=True)

def native_socket():
    if libc.socket(2, 1, 0) < 0:
        raise OSError(ctypes.get_errno(), "socket")

{layers}
attempt("fork", fork)
attempt("program", lambda: subprocess.run(["true"]))
attempt("socket", socket.socket)
attempt("native_socket", native_socket)
attempt("write", write)
attempt("remove", lambda: os.remove("/tmp/no-such-file-of-rgenv"))
attempt("kill", lambda: os.kill(os.getppid(), 0))
attempt("memory", lambda: mmap.mmap(-1, 4 * 1024**3))
attempt("read", lambda: open(__import__("rgenv").__file__).read())
attempt("thread", thread)
attempt("descriptors", lambda: [os.dup(0) for _ in range(200)])
"""

RLIMITS = "sandbox._set_rlimits(2048)"
SECCOMP = "sandbox._set_seccomp()"
AUDIT = "sys.addaudithook(sandbox._refuse)"
ALL = "sandbox.lock(memory_limit_mb=2048)"


def outcomes(layers: str, marker: Path) -> dict[str, str]:
    program = ATTEMPTS.format(layers=layers, marker=str(marker))
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    return dict(line.split() for line in run.stdout.splitlines() if line)


@pytest.mark.parametrize(
    ("layers", "refused"),
    [
        (RLIMITS, {"write", "memory", "descriptors"}),
        (SECCOMP, {"fork", "program", "socket", "native_socket", "write", "kill"}),
        (AUDIT, {"fork", "program", "socket", "write", "kill"}),
        (
            ALL,
            {
                "fork",
                "program",
                "socket",
                "native_socket",
                "write",
                "kill",
                "memory",
                "descriptors",
            },
        ),
    ],
    ids=["rlimits", "seccomp", "audit", "all"],
)
def test_a_layer_stops_what_it_says(layers: str, refused: set[str], tmp_path: Path) -> None:
    """Each layer alone refuses its share; reading and threads go on working under all of them."""
    result = outcomes(layers, tmp_path / "marker")
    assert refused <= {name for name, outcome in result.items() if outcome == "refused"}
    assert result["read"] == result["thread"] == "done"
    assert not (tmp_path / "marker").exists() or (tmp_path / "marker").read_text() == ""


def test_nothing_is_refused_without_layers(tmp_path: Path) -> None:
    """The attempts themselves work: a refusal above is the layer's doing."""
    result = outcomes("", tmp_path / "marker")
    assert {name for name, outcome in result.items() if outcome == "refused"} == {"remove"}
    assert (tmp_path / "marker").read_text() == "x" * 10


def test_all_layers_hold_here(tmp_path: Path) -> None:
    """On Linux with libseccomp every layer is reported to hold."""
    program = "from rgenv.worker import sandbox; print(*sandbox.lock(memory_limit_mb=2048))"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert run.stdout.split() == ["rlimits", "leash", "seccomp", "audit"]


def test_a_request_that_burns_cpu_is_ended_without_its_parent(tmp_path: Path) -> None:
    """Past its CPU seconds the kernel ends the process; asking again gives it new ones."""
    program = (
        "import time\nfrom rgenv.worker import sandbox\n"
        "for _ in range(3):\n    sandbox.allow_cpu_seconds(1)\n    end = time.process_time() + 0.8\n"
        "    while time.process_time() < end: pass\n"
        "print('alive', flush=True)\nwhile True: pass"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert run.stdout == "alive\n"
    assert run.returncode < 0
