"""rgenv/worker/sandbox.py: each layer alone in its own process, and all layers together."""

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

RLIMITS = "sandbox.set_rlimits(2048)"
SECCOMP = "sandbox.filter_system_calls()"
AUDIT = "sandbox.refuse_audit_events()"
ALL = "sandbox.lock(memory_limit_mb=2048)"

BURN_CPU = """
import time
from rgenv.worker import sandbox
for _ in range(3):
    sandbox.allow_cpu_seconds(1)
    end = time.process_time() + 0.8
    while time.process_time() < end:
        pass
print("alive", flush=True)
while True:
    pass
"""

DIE_WITH_PARENT = """
import os, sys, time
from rgenv.worker import sandbox
reading, writing = os.pipe()
child = os.fork()
if child == 0:
    sandbox.set_parent_death_signal()
    os.write(writing, b"ready")
    time.sleep(600)
os.read(reading, 5)
print(child, flush=True)
os._exit(0)
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    """Run Python code to its end; the timeout only ends a process that hangs."""
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120
    )


def outcomes(layers: str, marker: Path) -> dict[str, str]:
    """Return what became of every attempt after the statement `layers`."""
    done = run(ATTEMPTS.format(layers=layers, marker=str(marker)))
    assert done.returncode == 0, done.stderr
    return dict(line.split() for line in done.stdout.splitlines() if line)


@pytest.mark.parametrize(
    ("layers", "refused"),
    [
        (RLIMITS, "write memory descriptors"),
        (SECCOMP, "fork program socket native_socket write kill"),
        (AUDIT, "fork program socket write kill"),
        (ALL, "fork program socket native_socket write kill memory descriptors"),
    ],
    ids=["rlimits", "seccomp", "audit", "all"],
)
def test_each_layer_refuses_what_it_documents(layers: str, refused: str, tmp_path: Path) -> None:
    """Each layer alone refuses its share; reading files and starting threads always work."""
    result = outcomes(layers, tmp_path / "marker")
    assert set(refused.split()) <= {name for name, what in result.items() if what == "refused"}
    assert result["read"] == result["thread"] == "done"
    assert not (tmp_path / "marker").exists() or (tmp_path / "marker").read_text() == ""


def test_nothing_is_refused_without_layers(tmp_path: Path) -> None:
    """Without any layer every attempt succeeds, except removing a file that does not exist."""
    result = outcomes("", tmp_path / "marker")
    assert {name for name, what in result.items() if what == "refused"} == {"remove"}
    assert (tmp_path / "marker").read_text() == "x" * 10


def test_all_layers_are_in_place_on_linux() -> None:
    """On Linux with libseccomp, `lock` reports every layer."""
    done = run("from rgenv.worker import sandbox; print(*sandbox.lock(memory_limit_mb=2048))")
    assert done.stdout.split() == ["rlimits", "parent_death_signal", "seccomp", "audit"]


def test_a_request_that_burns_cpu_is_ended_without_its_parent() -> None:
    """The kernel kills a process beyond its CPU seconds; each call grants new ones."""
    done = run(BURN_CPU)
    assert done.stdout == "alive\n"
    assert done.returncode < 0


def test_a_process_dies_with_its_parent() -> None:
    """The kernel kills a sleeping process when its parent exits."""
    done = run(DIE_WITH_PARENT)  # ends only when the child, too, has closed stdout
    assert done.returncode == 0 and int(done.stdout) > 0
