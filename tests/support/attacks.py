"""What code in a worker would try, as a table: each attack is a function of its victim.

An attack is a generator. What stands before its ``yield`` happens before the process is confined;
what follows is the attack, which raises an exception if it does not succeed. System calls are made
by their numbers, past the C library and Python.
"""

import ctypes
import mmap
import os
import platform
import resource
import signal
import struct
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pyseccomp

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]


class NoSuchCall(Exception):
    """This architecture has no such system call."""


def call(name: str, *arguments: Any) -> int:
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


_AT_FDCWD = -100
_CALLS: dict[str, tuple[Any, ...]] = {
    "openat": (_AT_FDCWD, "/secret", os.O_RDONLY),
    "creat": ("/new", 0o600),
    "truncate": ("/secret", 3),
    "unlink": ("/secret",),
    "rename": ("/secret", "/new"),
    "mkdir": ("/new", 0o700),
    "link": ("/secret", "/new"),
    "symlink": ("/secret", "/new"),
    "mknodat": (_AT_FDCWD, "/new", 0o010600, 0),
    "chmod": ("/secret", 0o777),
    "chdir": ("/folder",),
    "unshare": (0x00020000,),
    "socketpair": (1, 1, 0, bytes(8)),
    "memfd_create": (b"x", 0),
    "shmget": (0, 4096, 0o1600),
    "io_uring_setup": (1, bytes(120)),
    "fcntl": (2, 0, 0),
    "prctl": (1, 0, 0, 0, 0),  # no signal at the death of the parent any more
    "capset": (struct.pack("II", 0x20080522, 0), bytes(24)),
    "setitimer": (signal.ITIMER_REAL, bytes(32), 0),
}
"""System call -> its arguments. A string that begins with / is a path in the victim's folder."""


class Victim(NamedTuple):
    """The parent: `UNHARMED` is at the address, ``secret`` and ``folder/`` are in the folder."""

    pid: int
    address: int
    folder: str

    def path(self, name: str) -> bytes:
        return os.path.join(self.folder, name).encode()


Attack = Callable[[Victim], Iterator[None]]

UNHARMED, OVERWRITTEN = b"unharmed", b"attacked"
SECRET = "the-secret-of-the-parent"
_HERE = platform.machine()


def _require(succeeded: object) -> None:
    if not succeeded:
        raise ChildProcessError("without effect")


def _single(name: str, *arguments: Any) -> Attack:
    def attack(victim: Victim) -> Iterator[None]:
        given = [
            victim.path(a[1:]) if isinstance(a, str) else victim.pid if a is Victim else a
            for a in arguments
        ]
        buffers = [ctypes.create_string_buffer(a) if isinstance(a, bytes) else a for a in given]
        yield
        call(name, *buffers)

    return attack


# Attacks on the parent


def read_environment(victim: Victim) -> Iterator[None]:
    yield
    number = os.open(f"/proc/{victim.pid}/environ", os.O_RDONLY)
    _require(SECRET.encode() in os.read(number, 1 << 20))


def write_memory_file(victim: Victim) -> Iterator[None]:
    yield
    number = os.open(f"/proc/{victim.pid}/mem", os.O_RDWR)
    _require(os.pwrite(number, OVERWRITTEN, victim.address) == len(OVERWRITTEN))


def write_memory(victim: Victim) -> Iterator[None]:
    local = ctypes.create_string_buffer(OVERWRITTEN)
    here = struct.pack("QQ", ctypes.addressof(local), len(OVERWRITTEN))
    there = struct.pack("QQ", victim.address, len(OVERWRITTEN))
    yield
    call("process_vm_writev", victim.pid, here, 1, there, 1, 0)


def list_folder(victim: Victim) -> Iterator[None]:
    yield
    _require("secret" in os.listdir(victim.folder))


def limits_of_the_parent(victim: Victim) -> Iterator[None]:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    yield
    limits = struct.pack("QQ", 0, hard & (2**64 - 1))
    call("prlimit64", victim.pid, resource.RLIMIT_CORE, limits, None)


def signal_by_input(victim: Victim) -> Iterator[None]:
    """Have the kernel send a signal to the parent when a pipe gets input."""
    reading, writing = os.pipe()
    yield
    for command, value in ((8, victim.pid), (10, signal.SIGUSR1), (4, os.O_ASYNC)):
        call("fcntl", reading, command, value)
    os.write(writing, b"x")
    time.sleep(0.05)


# Processes, threads and code


def new_process(_: Victim) -> Iterator[None]:
    yield
    if call("clone", signal.SIGCHLD, 0, 0, 0, 0) == 0:
        os._exit(0)


def new_process_by_clone3(_: Victim) -> Iterator[None]:
    yield
    if call("clone3", struct.pack("QQQQQQQQ", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0), 64) == 0:
        os._exit(0)


def program(_: Victim) -> Iterator[None]:
    arguments = (ctypes.c_char_p * 2)(b"/bin/true", None)
    yield
    call("execve", b"/bin/true", arguments, None)


def threads(_: Victim) -> Iterator[None]:
    threading.stack_size(64 * 1024)
    end = threading.Event()
    yield
    for _number in range(4_000):
        threading.Thread(target=end.wait, daemon=True).start()


_CODE = {"x86_64": b"\xb8\x2a\x00\x00\x00\xc3", "aarch64": b"\x40\x05\x80\x52\xc0\x03\x5f\xd6"}
"""Machine code that returns 42."""


def _run_code(protection: int, later: int | None) -> None:
    address = libc.mmap(None, 4096, protection, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    if address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")
    ctypes.memmove(address, _CODE[_HERE], len(_CODE[_HERE]))
    if later is not None and libc.mprotect(ctypes.c_void_p(address), 4096, later) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")
    _require(ctypes.CFUNCTYPE(ctypes.c_int)(address)() == 42)


def new_code(_: Victim) -> Iterator[None]:
    yield
    _run_code(mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC, None)


def memory_to_code(_: Victim) -> Iterator[None]:
    yield
    _run_code(mmap.PROT_READ | mmap.PROT_WRITE, mmap.PROT_READ | mmap.PROT_EXEC)


def call_of_32_bits(_: Victim) -> Iterator[None]:
    """Ask for the process id by the system calls of 32 bits, from code that is there already."""
    if _HERE != "x86_64":
        raise NoSuchCall("int 0x80")
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3")
    start = ctypes.addressof(ctypes.c_char.from_buffer(code))
    yield
    _require(ctypes.CFUNCTYPE(ctypes.c_int)(start)() == os.getpid())


ATTACKS: dict[str, Attack] = {
    **{name: _single(name, *arguments) for name, arguments in _CALLS.items()},
    "kill": _single("kill", Victim, signal.SIGUSR1),
    "trace": _single("ptrace", 0x4206, Victim, 0, 0),
    **{
        f"set_own_limit_{n}": _single("prlimit64", 0, n, struct.pack("QQ", 64, 64), None)
        for n in (resource.RLIMIT_NOFILE, resource.RLIMIT_CPU)
    },
    "internet": _single("socket", 2, 1, 0),
    "unix_socket": _single("socket", 1, 1, 0),
    **{
        attack.__name__: attack
        for attack in (
            *(read_environment, write_memory_file, write_memory, list_folder),
            *(limits_of_the_parent, signal_by_input, new_process, new_process_by_clone3),
            *(program, threads, new_code, memory_to_code, call_of_32_bits),
        )
    },
    "priority_of_the_parent": _single(
        "setpriority", 0, Victim, 19
    ),  # last: it is slow from here on
}
