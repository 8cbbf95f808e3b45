"""The system calls that a worker may use after its start, and the filter that refuses the others.

`ALLOWED` is the whole list. It was found by recording the calls of all tasks at all levels, of
their verifiers, and of every program of codeio. Which files can be read is Landlock's business
(landlock.py). seccomp enforces it for this process, whoever makes the calls: Python, native code of
a library, or code that was smuggled in. libseccomp knows the numbers of the calls for each
architecture; calls of another one than the process has, such as those of 32 bits, kill it.

A refused call fails with EPERM, which foreign programs and libraries handle; a kill would cost a
worker each time. ``clone3`` fails with ENOSYS, so that the C library asks for ``clone``.
"""

import errno
import os
from typing import Any, NamedTuple

try:
    import pyseccomp as seccomp  # loads libseccomp, which a confined process could not do
except Exception as error:  # not Linux, no pyseccomp, or no libseccomp: any exception
    seccomp, WHY_NOT = None, error


class Condition(NamedTuple):
    """Argument number `argument` of a call must be `value` in the bits of `mask`."""

    argument: int
    value: int
    mask: int = 0xFFFFFFFFFFFFFFFF


class Group(NamedTuple):
    """Calls that are allowed for the same reason, if all conditions hold."""

    reason: str
    calls: str
    conditions: tuple[Condition, ...] = ()


_PROT_EXEC = 4
_SELF = Condition(0, 0)
_ITIMER_PROF = 2
WRITING = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC | os.O_APPEND

ALLOWED = (
    Group("requests and replies, on descriptors that are open already", "read write close"),
    Group("data and modules of the library", "openat", (Condition(2, 0, WRITING),)),
    Group("as above", "newfstatat fstat lseek getdents64"),
    Group("memory that code can't be run from", "brk mremap munmap madvise"),
    Group("as above", "mmap mprotect", (Condition(2, 0, _PROT_EXEC),)),
    Group(
        "time and sleep",
        """
        clock_gettime clock_getres gettimeofday time times getrusage
        nanosleep clock_nanosleep sched_yield
        """,
    ),
    Group(
        "handling of its own signals; none can be sent",
        "rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack restart_syscall",
    ),
    Group("locks of Python, though there is one thread only", "futex"),
    Group("random numbers", "getrandom"),
    Group("facts about itself", "getpid gettid getppid getuid geteuid getgid getegid uname getcwd"),
    Group("its processors and the machine's memory", "sched_getaffinity sysinfo"),
    Group("reading its own limits", "prlimit64", (_SELF, Condition(2, 0))),
    Group("the limit of processor time", "setitimer", (Condition(0, _ITIMER_PROF),)),
    Group("the end", "exit exit_group"),
)


def install() -> None:
    """Install the filter in this process and all its threads. It can't be removed.

    Raises:
        OSError: the kernel refuses it.
        RuntimeError: pyseccomp or libseccomp is missing.
    """
    if seccomp is None:
        raise RuntimeError(str(WHY_NOT))
    rules = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    rules.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    rules.set_attr(seccomp.Attr.CTL_TSYNC, 1)
    for group in ALLOWED:
        for name in group.calls.split():
            _add(rules, seccomp.ALLOW, name, group.conditions)
    _add(rules, seccomp.ERRNO(errno.ENOSYS), "clone3", ())
    rules.load()


def _add(rules: Any, action: int, name: str, conditions: tuple[Condition, ...]) -> None:
    if seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) < 0:
        return  # this architecture has no such call
    arguments = [seccomp.Arg(c.argument, seccomp.MASKED_EQ, c.mask, c.value) for c in conditions]
    rules.add_rule(action, name, *arguments)
