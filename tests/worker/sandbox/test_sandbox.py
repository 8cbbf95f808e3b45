"""rgenv/worker/sandbox: what `lock` reports, refuses and allows; test_attacks.py attacks it."""

import json
import sys
from subprocess import CompletedProcess

import pytest

from tests.support.programs import run_python

BURN_CPU = """
import time
from rgenv.worker.sandbox import sandbox
sandbox.lock(memory_limit_mb=2048)
for _ in range(3):
    sandbox.allow_cpu_seconds(2)  # the kernel counts in ticks: too much, while others run
    end = time.process_time() + 0.8
    while time.process_time() < end:
        pass
print("alive", flush=True)
while True:
    pass
"""

OUTLIVE_PARENT = """
import ctypes, os, sys, time
from rgenv.worker.sandbox import sandbox
reading, writing = os.pipe()
libc = ctypes.CDLL(None)
if os.fork() == 0:
    if LOCKED:
        sandbox.refuse_audit_events = lambda: None
        sandbox.lock(memory_limit_mb=2048)
    libc.prctl(1, 0, 0, 0, 0)
    libc.setpgid(0, 0)
    os.write(writing, b"ready")
    time.sleep(1)
    os.write(1, b"survived")
    os._exit(0)
os.read(reading, 5)
os._exit(0)
"""


def run(program: str) -> CompletedProcess[str]:
    return run_python("-c", program, check=False)


def layers_after(program: str) -> dict[str, tuple[str, str]]:
    """Return the state and the remedy of each layer that `lock` reports after a program."""
    report = "import json; from rgenv.worker.sandbox import sandbox"
    report += "; print(json.dumps(sandbox.lock(memory_limit_mb=2048)))"
    found = json.loads(run(f"{program}\n{report}").stdout)
    return {name: (state, remedy) for name, state, remedy in found}


@pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux's")
def test_all_layers_hold_on_linux() -> None:
    names = "parent_death_signal capabilities landlock rlimits seccomp audit".split()
    assert layers_after("") == dict.fromkeys(names, ("holds", ""))


@pytest.mark.parametrize(
    ("code", "state", "words"),
    [
        ("ENOSYS", "absent", "Linux 5.13"),
        ("EOPNOTSUPP", "missing", "lsm="),
        ("EPERM", "missing", "container"),
    ],
)
def test_landlock_that_is_not_there_is_reported(code: str, state: str, words: str) -> None:
    """A kernel without it can't have it; turned off or forbidden, it is missing."""
    fails = f"def fail(_): raise OSError(errno.{code}, 'why')\nlandlock.give_up_all_but = fail"
    layers = layers_after(f"import errno; from rgenv.worker.sandbox import landlock\n{fails}")
    assert layers["landlock"][0] == state and words in layers["landlock"][1]
    assert layers["seccomp"][0] == "holds"


def test_a_filter_that_is_not_there_is_reported() -> None:
    layers = layers_after("import sys; sys.modules['pyseccomp'] = None")
    assert layers["seccomp"][0] == "missing" and "libseccomp" in layers["seccomp"][1]
    assert {state for name, (state, _) in layers.items() if name != "seccomp"} == {"holds"}


def test_a_request_that_burns_cpu_is_ended_without_its_parent() -> None:
    """The kernel kills a confined process beyond its CPU seconds; each call grants new ones."""
    done = run(BURN_CPU)
    assert done.stdout == "alive\n"
    assert done.returncode < 0


def test_a_process_cannot_outlive_its_parent() -> None:
    """The kernel kills it when its parent ends, although it took its death signal back before."""
    done = run("LOCKED = True" + OUTLIVE_PARENT)  # ends only when the child, too, has closed stdout
    assert (done.returncode, done.stdout) == (0, "")


def test_a_process_without_layers_outlives_its_parent() -> None:
    assert run("LOCKED = False" + OUTLIVE_PARENT).stdout == "survived"
