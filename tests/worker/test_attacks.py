"""What code in a worker tries against its parent, files and the machine, as root and as a user.

tests/support/attacks.py has the attacks. Each is made without any layer, where it succeeds, and
with those of `sandbox.lock`, where it fails. The audit hook is left out: code that attacks gets
around it. The last test makes them in workers that a template has forked.
"""

import ctypes
import json
import os
import resource
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from rgenv import ReasoningGym
from tests.support.attacks import ATTACKS, SECRET, UNHARMED, Victim
from tests.support.own_tasks import WHOLE, write
from tests.support.programs import run_python

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux's"),
]

NOBODY = 65534
USERS = [
    pytest.param(
        0, marks=pytest.mark.skipif(os.getuid() != 0, reason="these tests do not run as root")
    ),
    NOBODY if os.getuid() == 0 else os.getuid(),
]

PATHS = {
    *"openat creat truncate unlink rename mkdir link symlink mknodat".split(),
    *"read_environment write_memory_file list_folder program".split(),
}
OTHERS = {"kill", "write_memory", "trace"}
READING = {"openat", "list_folder", "read_environment"}
PROCESSES = {"new_process", "new_process_by_clone3", "threads"}


@cache
def outcomes(layers: str, user: int) -> dict[str, Any]:
    """Make all attacks once as `user` from behind `layers`; return attack -> what became of it."""
    with TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        os.chown(folder, user, -1)
        words = ["-m", "tests.support.attack_program", layers, str(user), folder]
        done = run_python(*words, env={**os.environ, "SECRET": SECRET})
    return json.loads(done.stdout)


def refused(layers: str, user: int) -> set[str]:
    """The attacks that fail from behind these layers."""
    return {name for name in ATTACKS if outcomes(layers, user)[name] != "done"}


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_fails_because_of_the_layers(attack: str, user: int) -> None:
    """It succeeds without them, unless the machine refuses it to this user anyway."""
    assert outcomes("all", user)[attack] != "done"
    without = outcomes("none", user)[attack]
    if without != "done":
        pytest.skip(f"this machine refuses it without the layers, too: {without}")


@pytest.mark.parametrize("user", USERS)
def test_most_attacks_succeed_without_the_layers(user: int) -> None:
    """So the tests above show something: the parent is harmed, and files and objects are made."""
    assert len(refused("none", user)) <= 0.3 * len(ATTACKS)
    assert {"signals", "priority", "limits"} <= set(outcomes("none", user)["harm"])


@pytest.mark.parametrize("user", USERS)
def test_the_parent_is_not_harmed(user: int) -> None:
    assert outcomes("all", user)["harm"] == []


@pytest.mark.parametrize("user", USERS)
def test_every_call_that_is_not_on_the_list_is_refused(user: int) -> None:
    """None of the first 1,000 numbers of system calls passes, but for those that are listed."""
    assert outcomes("all", user)["every_other_call"] == "EPERM"


@pytest.mark.parametrize("user", USERS)
def test_the_system_call_filter_alone_refuses_all_but_reading(user: int) -> None:
    """So a kernel without Landlock lets code read what its user can read, and nothing more."""
    assert refused("seccomp", user) >= set(ATTACKS) - READING


@pytest.mark.parametrize("user", USERS)
def test_landlock_alone_refuses_paths_and_other_processes(user: int) -> None:
    """No file but the library's is read, and the parent's memory and signals are out of reach."""
    assert refused("landlock", user) >= PATHS | OTHERS
    assert not {"memory", "signals"} & set(outcomes("landlock", user)["harm"])


@pytest.mark.parametrize("user", USERS)
def test_limits_alone_refuse_processes(user: int) -> None:
    expected = {f"set_own_limit_{resource.RLIMIT_NOFILE}"} | (PROCESSES if user else set())
    assert refused("capabilities,rlimits", user) >= expected


ATTACKING = """
from pathlib import Path
from tests.support.attacks import ATTACKS, Victim

VICTIM = Victim(*json.loads(Path(__file__).with_name("victim.json").read_text()))
PREPARED = {name: attack(VICTIM) for name, attack in ATTACKS.items()}
for steps in PREPARED.values():  # the template imports this
    next(steps)
FAULTS |= {name: lambda name=name: next(PREPARED.pop(name), 1.0) for name in ATTACKS}
"""


def test_every_attack_fails_in_a_forked_worker(tmp_path: Path) -> None:
    """It is made by the verifier of a user's task, for which the template was ready."""
    memory = ctypes.create_string_buffer(UNHARMED)
    victim = Victim(os.getpid(), ctypes.addressof(memory), str(tmp_path))
    (tmp_path / "victim.json").write_text(json.dumps(victim))
    (tmp_path / "folder").mkdir()
    (tmp_path / "secret").write_text("nobody may read this")
    module = write(tmp_path, WHOLE + ATTACKING)
    with ReasoningGym("own", task_modules=module, workers=1) as gym:
        problem = gym.make("backwards", seed=1)
        [done] = gym.verdicts(problem, [f"<answer>{problem.answer}</answer>"])
        verdicts = gym.verdicts(problem, [f"<answer>{name}</answer>" for name in ATTACKS])
    assert done.score == 1.0
    assert [name for name, one in zip(ATTACKS, verdicts, strict=True) if one.score] == []
    assert {one.kind for one in verdicts} <= {"error", "crashed", "timeout"}
    assert memory.value == UNHARMED
