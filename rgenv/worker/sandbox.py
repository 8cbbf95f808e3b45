"""Restrict what a worker process may do.

The guard keeps model text from being executed at all; the sandbox limits the damage if the guard
fails. It has four layers, in the order from the most portable to the least:

``rlimits``              The kernel limits address space, CPU time per request and open descriptors,
                         and allows no file to grow. The limits hold for native code too. They do
                         not stop a process that runs as root from starting processes, and they
                         stop nobody from opening a socket.
``parent_death_signal``  Linux kills the worker when its parent dies, even if the worker is stuck.
``seccomp``              The kernel refuses the system calls for sockets, processes, tracing and
                         signals to other processes, whoever makes them. It does not look at paths:
                         a worker can read whatever its user can read. Needs Linux and libseccomp.
``audit``                Python's audit events are refused for opening files for writing, removing
                         and renaming them, processes, sockets and ctypes. Native code that bypasses
                         Python's API raises no events, and code that can run arbitrary Python
                         bytecode can find a way around the hook.

Call `lock` once, after all imports and before the first request. It cannot be undone.
"""

from __future__ import annotations

import ctypes
import errno
import resource
import signal
import sys
from typing import Any

MAX_DESCRIPTORS = 64

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

_FORBIDDEN_SYSTEM_CALLS = """
socket socketpair connect bind listen accept accept4 sendto sendmsg
fork vfork execve execveat ptrace process_vm_readv process_vm_writev
kill tkill pidfd_open pidfd_send_signal pidfd_getfd
mount umount2 unshare setns chroot pivot_root
bpf io_uring_setup perf_event_open keyctl add_key request_key userfaultfd memfd_create
truncate ftruncate unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir
link linkat symlink symlinkat mknod mknodat
chmod fchmod fchmodat chown fchown fchownat lchown setxattr creat
"""

# Constants of Linux, spelled out because the kernel's numbers are what the filters compare.
_O_WRONLY, _O_RDWR, _O_CREAT, _O_TRUNC, _O_APPEND = 0o1, 0o2, 0o100, 0o1000, 0o2000
_PR_SET_PDEATHSIG = 1
_CLONE_THREAD = 0x00010000


def lock(*, memory_limit_mb: int) -> list[str]:
    """Put every available layer in place around this process.

    Args:
        memory_limit_mb: the most address space, in MiB; allocating more raises MemoryError.

    Returns:
        The names of the layers that are in place, for the parent's log.
    """
    layers = ["rlimits"]
    if set_parent_death_signal():
        layers.append("parent_death_signal")
    set_rlimits(memory_limit_mb)
    if filter_system_calls():
        layers.append("seccomp")
    refuse_audit_events()
    layers.append("audit")
    return layers


def allow_cpu_seconds(seconds: float) -> None:
    """Let this process use `seconds` of CPU time from now on; beyond that the kernel kills it.

    The parent normally enforces its own time limit. This one holds when the parent is gone.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def set_parent_death_signal() -> bool:
    """Ask Linux to kill this process when its parent dies; return False on other systems."""
    if not sys.platform.startswith("linux"):
        return False
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    return True


def set_rlimits(memory_limit_mb: int) -> None:
    """Limit address space to `memory_limit_mb` MiB, and files, core dumps and descriptors."""
    size = memory_limit_mb * 1024 * 1024
    for limit, value in (
        (resource.RLIMIT_AS, size),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, MAX_DESCRIPTORS),
    ):
        resource.setrlimit(limit, (value, value))


def filter_system_calls() -> bool:
    """Install the seccomp filter; return False where libseccomp is not available."""
    try:
        import pyseccomp as seccomp
    except Exception:  # not Linux, or no libseccomp: the other layers remain
        return False
    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    for name in _FORBIDDEN_SYSTEM_CALLS.split():
        try:
            rules.add_rule(seccomp.ERRNO(errno.EPERM), name)
        except (OSError, ValueError):  # this architecture has no such system call
            continue
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")  # the C library falls back to clone
    rules.add_rule(
        seccomp.ERRNO(errno.EPERM), "clone", seccomp.Arg(0, seccomp.MASKED_EQ, _CLONE_THREAD, 0)
    )
    for flag in (_O_WRONLY, _O_RDWR, _O_CREAT):
        rules.add_rule(
            seccomp.ERRNO(errno.EACCES), "openat", seccomp.Arg(2, seccomp.MASKED_EQ, flag, flag)
        )
    rules.load()
    return True


def refuse_audit_events() -> None:
    """Install the audit hook; every forbidden event raises PermissionError from now on."""
    sys.addaudithook(_refuse_forbidden)


def _refuse_forbidden(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        _path, mode, flags = arguments
        if _opens_for_writing(mode, flags):
            raise PermissionError(errno.EPERM, "a worker may not write files")
    elif event.startswith(_FORBIDDEN_PREFIXES):
        raise PermissionError(errno.EPERM, f"a worker may not do {event}")


def _opens_for_writing(mode: Any, flags: Any) -> bool:
    """Inspect the arguments of an ``open`` event; `mode` is None when ``os.open`` raised it."""
    writing = _O_WRONLY | _O_RDWR | _O_CREAT | _O_TRUNC | _O_APPEND
    by_mode = isinstance(mode, str) and bool(set(mode) & set("wax+"))
    return by_mode or (isinstance(flags, int) and bool(flags & writing))
