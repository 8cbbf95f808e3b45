"""What the operating system and the interpreter do not let a worker do.

The guard keeps model text from being executed at all; the cell is for the day it fails. Layers,
from the one that is always there to the one that needs a kernel:

``rlimits``   memory (address space), files of no size, 64 descriptors, CPU seconds a request. Held
              by the kernel against any code, native code too. They do not stop a process that runs
              as root from making processes, nor anybody from opening a socket.
``leash``     Linux kills the worker when its parent dies, stuck or not.
``audit``     Python's own events: no file opened for writing, removed or renamed, no process, no
              socket, no ctypes. Native code that does not go through Python's API is not seen, and
              code that can run arbitrary Python bytecode can find a way around it.
``seccomp``   the kernel refuses the system calls for sockets, processes, tracing and signals to
              others, whoever asks. It does not look at paths: what the user may read, a worker may
              read. Needs Linux and libseccomp.

`lock` is called once, after imports and before the first request, and can't be undone.
"""

from __future__ import annotations

import ctypes
import errno
import resource
import signal
import sys
from typing import Any

MAX_DESCRIPTORS = 64

_FORBIDDEN_EVENTS = (
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "os.startfile",
    "subprocess.Popen",
    "pty.spawn",
    "os.kill",
    "os.killpg",
    "signal.pthread_kill",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "os.utime",
    "os.setxattr",
    "os.mkfifo",
    "os.mknod",
    "shutil.",
    "socket.",
    "ctypes.",
    "ftplib.",
    "http.client.",
    "smtplib.",
    "urllib.",
    "webbrowser.",
    "tempfile.",
    "sqlite3.connect",
    "resource.prlimit",
    "sys.settrace",
    "sys.setprofile",
)

_FORBIDDEN_SYSCALLS = (
    "socket",
    "socketpair",
    "connect",
    "bind",
    "listen",
    "accept",
    "accept4",
    "sendto",
    "sendmsg",
    "fork",
    "vfork",
    "execve",
    "execveat",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "kill",
    "tkill",
    "pidfd_open",
    "pidfd_send_signal",
    "pidfd_getfd",
    "mount",
    "umount2",
    "unshare",
    "setns",
    "chroot",
    "pivot_root",
    "bpf",
    "io_uring_setup",
    "perf_event_open",
    "keyctl",
    "add_key",
    "request_key",
    "userfaultfd",
    "memfd_create",
    "truncate",
    "ftruncate",
    "unlink",
    "unlinkat",
    "rename",
    "renameat",
    "renameat2",
    "mkdir",
    "mkdirat",
    "rmdir",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "mknod",
    "mknodat",
    "chmod",
    "fchmod",
    "fchmodat",
    "chown",
    "fchown",
    "fchownat",
    "lchown",
    "setxattr",
    "creat",
)

_WRITING = 0o3 | 0o100 | 0o1000 | 0o2000
"""O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND, as Linux numbers them."""


def lock(*, memory_limit_mb: int) -> list[str]:
    """Close the cell around this process.

    Args:
        memory_limit_mb: the most address space, in MiB; more raises MemoryError inside.

    Returns:
        The layers that hold, for the parent's log.
    """
    layers = ["rlimits", *_set_leash()]
    _set_rlimits(memory_limit_mb)
    layers += _set_seccomp()
    sys.addaudithook(_refuse)
    return [*layers, "audit"]


def allow_cpu_seconds(seconds: float) -> None:
    """Let this process use `seconds` of CPU time from now; past that the kernel ends it.

    The parent's clock is the limit that counts; this one holds when there is no parent any more.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _set_rlimits(memory_limit_mb: int) -> None:
    size = memory_limit_mb * 1024 * 1024
    for limit, value in (
        (resource.RLIMIT_AS, size),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, MAX_DESCRIPTORS),
    ):
        resource.setrlimit(limit, (value, value))


def _set_leash() -> list[str]:
    if not sys.platform.startswith("linux"):
        return []
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL, 0, 0, 0)
    return ["leash"]


def _set_seccomp() -> list[str]:
    try:
        import pyseccomp as seccomp
    except Exception:  # not Linux, or no libseccomp: the other layers hold
        return []
    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    for name in _FORBIDDEN_SYSCALLS:
        try:
            rules.add_rule(seccomp.ERRNO(errno.EPERM), name)
        except (OSError, ValueError):  # not a system call of this architecture
            continue
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")  # the C library then asks for clone
    thread_flag = 0x00010000
    rules.add_rule(
        seccomp.ERRNO(errno.EPERM), "clone", seccomp.Arg(0, seccomp.MASKED_EQ, thread_flag, 0)
    )
    for write_flag in (0o1, 0o2, 0o100):
        rules.add_rule(
            seccomp.ERRNO(errno.EACCES),
            "openat",
            seccomp.Arg(2, seccomp.MASKED_EQ, write_flag, write_flag),
        )
    rules.load()
    return ["seccomp"]


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        _path, mode, flags = arguments
        if (isinstance(mode, str) and set(mode) & set("wax+")) or (
            isinstance(flags, int) and flags & _WRITING
        ):
            raise PermissionError(errno.EPERM, "a worker writes no files")
    elif event.startswith(_FORBIDDEN_EVENTS):
        raise PermissionError(errno.EPERM, f"a worker does not do {event}")
