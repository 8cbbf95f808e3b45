"""Restrict what a worker process may do.

The guard keeps model text from being executed at all; the sandbox limits the damage if the guard
fails. A worker needs no more than the socket to its parent, and the files of the library. So `lock`
takes everything else away, for good:

``parent_death_signal``  Linux kills the worker when its parent dies, even if the worker is stuck.
``capabilities``         A worker of root has no privilege of root any more.
``landlock``             The kernel refuses every file but those of the standard library and of
                         `PACKAGES`, which can be read; and signals to other processes, TCP and
                         abstract sockets as far as its version can. Needs Linux 5.13.
``rlimits``              The kernel limits the address space and the number of open files, and
                         allows no process or thread (unless root has started the worker), no
                         growing file and no core dump.
``seccomp``              The kernel refuses every system call but those of `system_calls.ALLOWED`,
                         whoever makes them. Needs Linux and libseccomp.
``audit``                Python refuses what the kernel would refuse, with a clearer message. Code
                         that attacks can find a way around it.

With all layers, code in a worker that executes what it likes, of root or of any user, can see which
files there are, use its CPU until its parent ends it and its memory up to the limit, answer
wrongly, and end. tests/worker/test_attacks.py shows that it can do nothing else.
"""

import ctypes
import errno
import os
import resource
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

from rgenv.worker.imports import PACKAGES
from rgenv.worker.sandbox import landlock, system_calls

State = Literal["holds", "missing", "absent"]


class Layer(NamedTuple):
    """What became of a layer; `remedy` is what to do if it is missing, or why it is absent.

    ``missing``: this machine could have it, and has not; ``absent``: it can't have it.
    """

    name: str
    state: State
    remedy: str = ""


_FORBIDDEN_EVENTS = """
os.exec os.fork os.forkpty os.posix_spawn os.spawn os.system os.startfile subprocess.Popen
pty.spawn os.kill os.killpg signal.pthread_kill
os.remove os.rename os.rmdir os.mkdir os.link os.symlink os.truncate os.chmod os.chown os.utime
os.setxattr os.mkfifo os.mknod shutil. tempfile.
socket. ctypes. ftplib. http.client. smtplib. urllib. webbrowser. sqlite3.connect
resource.prlimit sys.settrace sys.setprofile
"""
_FORBIDDEN_PREFIXES = tuple(_FORBIDDEN_EVENTS.split())
"""Audit events whose names begin with one of these are refused."""

# Constants of Linux.
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_CAPABILITY_VERSION = 0x20080522

_FILTER_REMEDY = "install pyseccomp and libseccomp (Debian: libseccomp2), on Linux"

_IS_LINUX = sys.platform.startswith("linux")


def lock(*, memory_limit_mb: int) -> list[Layer]:
    """Put every available layer in place around this process, which has one thread; return all.

    Call it once, after all imports and before the first request. It can't be undone.
    """
    return [
        _layer("parent_death_signal", set_parent_death_signal, "run it on Linux"),
        _layer("capabilities", drop_capabilities, "run it on Linux"),
        _layer("landlock", give_up_files, ""),  # opens folders, so it comes before the limits
        _layer("rlimits", lambda: set_rlimits(memory_limit_mb), "raise the hard limits of ulimit"),
        _layer("seccomp", system_calls.install, _FILTER_REMEDY),
        _layer("audit", refuse_audit_events, ""),
    ]


def readable_folders() -> tuple[str, ...]:
    """Return the folders that a worker may read: the standard library, and `PACKAGES`."""
    packages = (getattr(sys.modules.get(name), "__path__", ()) for name in PACKAGES)
    return (os.path.dirname(os.__file__), *(folder for paths in packages for folder in paths))


def _layer(name: str, put_in_place: Callable[[], Any], remedy: str) -> Layer:
    """Put a layer in place; return it with the remedy if the system refuses it."""
    try:
        put_in_place()
    except (OSError, ValueError, RuntimeError) as error:
        code = error.errno if isinstance(error, OSError) else None
        if name == "landlock" and code == errno.ENOSYS:
            return Layer(name, "absent", "this kernel has none; Linux 5.13 has")
        if name == "landlock" and code == errno.EOPNOTSUPP:
            remedy = "start the kernel with landlock in its parameter lsm="
            return Layer(name, "missing", f"it is turned off: {remedy}")
        if name == "landlock":
            remedy = "let the container make the system calls landlock_*"
        elif name == "seccomp" and isinstance(error, OSError):
            remedy = "let the container make the system call seccomp"
        return Layer(name, "missing", f"{error}: {remedy}")
    return Layer(name, "holds")


def allow_cpu_seconds(seconds: float) -> None:
    """Let this process use `seconds` of processor time from now on; then the kernel kills it.

    0 stands for no limit. The parent has a limit of its own, on the clock.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)


def set_parent_death_signal() -> None:
    """Ask Linux to kill this process when its parent dies; raise OSError on other systems."""
    parent = os.getppid()
    _call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before the kernel was asked
        os.kill(os.getpid(), signal.SIGKILL)


def drop_capabilities() -> None:
    """Give up all privileges of root, for good; raise OSError on other systems than Linux."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    _call("capset", header, (ctypes.c_uint32 * 6)())
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def set_rlimits(memory_limit_mb: int) -> None:
    """Limit memory and descriptors; allow no process or file size. A lower limit stays."""
    for limit, value in (
        (resource.RLIMIT_AS, memory_limit_mb * 1024 * 1024),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 16),
    ):
        hard = resource.getrlimit(limit)[1]
        lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (lowest, lowest))


def give_up_files() -> None:
    """Give up every right that Landlock knows, but for reading; raise OSError without Landlock."""
    if not _IS_LINUX:
        raise OSError(errno.ENOSYS, "Landlock is a part of Linux")
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    landlock.give_up_all_but(readable_folders())


def refuse_audit_events() -> None:
    """Install the audit hook; every forbidden event raises PermissionError from now on."""
    folders = tuple(os.path.join(folder, "") for folder in readable_folders())
    sys.addaudithook(partial(_refuse_forbidden, folders))


def _call(name: str, *arguments: Any) -> None:
    """Call a function of the C library that exists on Linux only."""
    if not _IS_LINUX:
        raise OSError(errno.ENOSYS, f"this system has no {name}")
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{name} is refused")


def _refuse_forbidden(readable: tuple[str, ...], event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, _, flags = arguments
        if flags & system_calls.WRITING:
            raise PermissionError(errno.EPERM, "a worker may not write files")
        is_path = isinstance(path, str | bytes)
        if is_path and not os.path.normpath(os.fsdecode(path)).startswith(readable):
            raise PermissionError(errno.EPERM, "a worker may not read files but the library's")
    elif event.startswith(_FORBIDDEN_PREFIXES):
        raise PermissionError(errno.EPERM, f"a worker may not do {event}")
