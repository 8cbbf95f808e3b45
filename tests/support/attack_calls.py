"""Make system calls by their numbers; those that attack by themselves, as a table.

libseccomp knows the number of a call on each architecture.
"""

import ctypes
import os
import struct
from typing import Any

import pyseccomp

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]


_AT_FDCWD = -100


class NoSuchCall(Exception):
    """This architecture has no such system call."""


def call(name: str, *arguments: Any) -> int:
    """Make a system call by its number, past the C library and Python."""
    number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    if number < 0:
        raise NoSuchCall(name)
    return raw(number, *arguments)


def raw(number: int, *arguments: Any) -> int:
    """Make a system call; raise OSError if the kernel refuses it."""
    given = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result: int = libc.syscall(ctypes.c_long(number), *given)
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


_NOBODY_ELSE = 0o600
CALLS: dict[str, tuple[Any, ...]] = {
    # files of the user
    "open": ("/secret", os.O_RDONLY),
    "openat": (_AT_FDCWD, "/secret", os.O_RDONLY),
    "creat": ("/new", _NOBODY_ELSE),
    "truncate": ("/secret", 3),
    "unlink": ("/secret",),
    "unlinkat": (_AT_FDCWD, "/secret", 0),
    "rename": ("/secret", "/new"),
    "renameat2": (_AT_FDCWD, "/secret", _AT_FDCWD, "/new", 0),
    "mkdir": ("/new", 0o700),
    "mkdirat": (_AT_FDCWD, "/new", 0o700),
    "rmdir": ("/folder",),
    "link": ("/secret", "/new"),
    "linkat": (_AT_FDCWD, "/secret", _AT_FDCWD, "/new", 0),
    "symlink": ("/secret", "/new"),
    "symlinkat": (b"target", _AT_FDCWD, "/new"),
    "mknodat": (_AT_FDCWD, "/new", 0o010600, 0),
    "chmod": ("/secret", 0o777),
    "fchmodat": (_AT_FDCWD, "/secret", 0o777),
    "fchmodat2": (_AT_FDCWD, "/secret", 0o777, 0),
    "chown": ("/secret", -1, -1),
    "fchownat": (_AT_FDCWD, "/secret", -1, -1, 0),
    "utimensat": (_AT_FDCWD, "/secret", None, 0),
    "setxattr": ("/secret", b"user.a", b"x", 1, 0),
    "lsetxattr": ("/secret", b"user.b", b"x", 1, 0),
    "access": ("/secret", os.R_OK),
    "faccessat": (_AT_FDCWD, "/secret", os.R_OK),
    "chdir": ("/folder",),
    "chroot": ("/folder",),
    "inotify_init1": (0,),
    "fanotify_init": (0, 0),
    # the mount API and namespaces
    "unshare": (0x00020000,),
    "fsopen": (b"tmpfs", 0),
    "open_tree": (_AT_FDCWD, "/folder", 0),
    # objects of the kernel
    "socketpair": (1, 1, 0, bytes(8)),
    "pipe2": (bytes(8), 0),
    "eventfd2": (0, 0),
    "epoll_create1": (0,),
    "signalfd4": (-1, bytes(8), 8, 0),
    "timerfd_create": (1, 0),
    "timer_create": (1, None, bytes(8)),
    "memfd_create": (b"x", 0),
    "userfaultfd": (1,),
    "shmget": (0, 4096, 0o1600),
    "semget": (0, 1, 0o1600),
    "msgget": (0, 0o1600),
    "mq_open": (b"rgenv-attack", os.O_RDONLY | os.O_CREAT, _NOBODY_ELSE, None),
    "add_key": (b"user", b"rgenv", b"x", 1, -2),
    "keyctl": (0, -2, 1),
    "io_uring_setup": (1, bytes(120)),
    "perf_event_open": (struct.pack("IIQQQQQ", 1, 128, 0, 0, 0, 0, 1) + bytes(80), 0, -1, -1, 0),
    "landlock_create_ruleset": (None, 0, 1),
    # descriptors that are open
    "dup": (2,),
    "dup3": (2, 30, 0),
    "fcntl": (2, 0, 0),
    # itself
    "personality": (0xFFFFFFFF,),
    "prctl": (1, 0, 0, 0, 0),  # no signal at the death of the parent any more
    "setpgid": (0, 0),
    "umask": (0o077,),
    "syslog": (10, None, 0),
    "sethostname": (os.uname().nodename.encode(), len(os.uname().nodename)),
    "mlock": (0, 0),
    "membarrier": (0, 0, 0),
    "capset": (struct.pack("II", 0x20080522, 0), bytes(24)),
    "setresuid": (-1, -1, -1),
}
"""System call -> its arguments. A string that begins with / is a path in the victim's folder."""
