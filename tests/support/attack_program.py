"""Attack a parent from confined children, one for each attack, and print what became of each.

    python -m tests.support.attack_program LAYERS USER FOLDER

LAYERS are names of `LAYERS` with commas between them, ``none``, or ``all`` for what `sandbox.lock`
does except for the audit hook, which code that attacks can get around. USER is the number of the
user that attacks; this process, the victim, runs as that user, too. Prints a JSON object: attack ->
``done``, or how it failed; ``harm`` lists what happened to the victim.
"""

import ctypes
import errno
import json
import os
import resource
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rgenv.worker.sandbox import sandbox, system_calls
from tests.support.attacks import ATTACKS, OVERWRITTEN, UNHARMED, NoSuchCall, Victim, raw

LAYERS = {
    "capabilities": sandbox.drop_capabilities,
    "landlock": sandbox.give_up_files,
    "rlimits": lambda: sandbox.set_rlimits(4096),
    "seccomp": system_calls.install,
}
ALLOWED = {name for group in system_calls.ALLOWED for name in group.calls.split()}
UNFILTERED = (335, 336) if os.uname().machine == "x86_64" else ()
"""uretprobe and uprobe, which Linux lets pass each filter; they end a process that calls them."""
SECONDS = 20
"""Seconds that an attack may take."""


def main() -> None:
    layers, user, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    memory = ctypes.create_string_buffer(UNHARMED)
    _become(user)
    signals: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, _: signals.append(number))
    victim = Victim(os.getpid(), ctypes.addressof(memory), str(folder))
    results = {}
    for name in ATTACKS:
        _prepare(folder)
        results[name] = _attempt(name, layers, victim)
    if layers == "all":
        results["every_other_call"] = _attempt("every_other_call", layers, victim)
    harm = []
    if memory.value != UNHARMED:
        assert memory.value == OVERWRITTEN
        harm.append("memory")
    harm += ["signals"] * bool(signals) + ["priority"] * (os.nice(0) == 19)
    harm += ["limits"] * (resource.getrlimit(resource.RLIMIT_CORE)[0] == 0)
    print(json.dumps({**results, "harm": harm}))


def _become(user: int) -> None:
    """Be an ordinary user whose processes may look at each other."""
    if user != os.getuid():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE, which setuid clears
    resource.setrlimit(resource.RLIMIT_CORE, (1, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _prepare(folder: Path) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    (folder / "folder").mkdir()
    (folder / "secret").write_text("nobody may read this")


def _attempt(name: str, layers: str, victim: Victim) -> str:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(SECONDS)
        os.write(writing, _outcome(name, layers, victim).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as report:
        return report.read() or ("done" if name.startswith("program") else "killed")


def _outcome(name: str, layers: str, victim: Victim) -> str:
    is_attack = name in ATTACKS
    steps: Iterator[None] = ATTACKS[name](victim) if is_attack else _every_other_call()
    try:
        next(steps)
        _confine(layers)
        with suppress(StopIteration):
            next(steps)
    except NoSuchCall as error:
        return f"no such call: {error}"
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "done"


def _confine(layers: str) -> None:
    if layers == "all":
        sandbox.refuse_audit_events = lambda: None
        found = sandbox.lock(memory_limit_mb=4096)
        assert all(layer.state == "holds" for layer in found), found
    elif layers != "none":
        for name in layers.split(","):
            LAYERS[name]()


def _every_other_call() -> Iterator[None]:
    """Make every system call whose name is not on the list; fail unless all are refused."""
    import pyseccomp

    native = pyseccomp.Arch.NATIVE
    allowed = {pyseccomp.resolve_syscall(native, name) for name in ALLOWED}
    expected = {pyseccomp.resolve_syscall(native, "clone3"): errno.ENOSYS}
    numbers = [number for number in range(1_000) if number not in {*allowed, *UNFILTERED}]
    yield
    for number in numbers:
        try:
            raw(number, 0, 0, 0, 0, 0, 0)
        except OSError as error:
            if error.errno == expected.get(number, errno.EPERM):
                continue
            raise ValueError(f"call {number}: {error}") from None
        return
    raise PermissionError(errno.EPERM, "all are refused")


if __name__ == "__main__":
    main()
