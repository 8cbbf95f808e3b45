"""What code in a worker would try, as a table: each attack is a function of its victim.

An attack is a generator. What stands before its ``yield`` happens before the process is confined;
what follows is the attack, which raises an exception if it does not succeed.
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

from tests.support.attack_calls import CALLS, NoSuchCall, call, libc


class Victim(NamedTuple):
    """The parent of the attacker, which has a secret in its environment and its memory.

    Attributes:
        pid: of the parent.
        address: of a byte string in its memory, `UNHARMED`.
        folder: has ``secret`` and ``folder/``, which the user may write.
    """

    pid: int
    address: int
    folder: str

    def path(self, name: str) -> bytes:
        return os.path.join(self.folder, name).encode()


Attack = Callable[[Victim], Iterator[None]]

UNHARMED, OVERWRITTEN = b"unharmed", b"attacked"
SECRET = "the-secret-of-the-parent"
_AT_FDCWD = -100
_HERE = platform.machine()


def _require(succeeded: object) -> None:
    if not succeeded:
        raise ChildProcessError("without effect")


def _single(name: str, arguments: tuple[Any, ...]) -> Attack:
    def attack(victim: Victim) -> Iterator[None]:
        given = [
            victim.path(a[1:]) if isinstance(a, str) and a.startswith("/") else a for a in arguments
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


def _vectors(victim: Victim) -> tuple[Any, Any]:
    local = ctypes.create_string_buffer(OVERWRITTEN)
    here = struct.pack("QQ", ctypes.addressof(local), len(OVERWRITTEN))
    there = struct.pack("QQ", victim.address, len(OVERWRITTEN))
    _kept.append(local)
    return here, there


_kept: list[Any] = []


def write_memory(victim: Victim) -> Iterator[None]:
    here, there = _vectors(victim)
    yield
    call("process_vm_writev", victim.pid, here, 1, there, 1, 0)


def read_memory(victim: Victim) -> Iterator[None]:
    here, there = _vectors(victim)
    yield
    call("process_vm_readv", victim.pid, here, 1, there, 1, 0)


def take_descriptor(victim: Victim) -> Iterator[None]:
    yield
    call("pidfd_getfd", call("pidfd_open", victim.pid, 0), 1, 0)


def read_link(victim: Victim) -> Iterator[None]:
    yield
    os.readlink(f"/proc/{victim.pid}/cwd")


def list_folder(victim: Victim) -> Iterator[None]:
    yield
    _require("secret" in os.listdir(victim.folder))


def open_with_flags(victim: Victim) -> Iterator[None]:
    yield
    call("openat2", _AT_FDCWD, victim.path("secret"), struct.pack("QQQ", os.O_RDONLY, 0, 0), 24)


def open_by_handle(victim: Victim) -> Iterator[None]:
    handle, mount = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128)), bytes(4)
    folder = os.open(victim.folder, os.O_RDONLY)
    with_path = (_AT_FDCWD, victim.path("secret"), handle, ctypes.create_string_buffer(mount), 0)
    yield
    call("name_to_handle_at", *with_path)
    call("open_by_handle_at", folder, handle, os.O_RDONLY)


def write_file(victim: Victim) -> Iterator[None]:
    yield
    os.write(os.open(victim.path("secret"), os.O_WRONLY | os.O_TRUNC), b"attacked")


def limits_of_the_parent(victim: Victim) -> Iterator[None]:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    yield
    limits = struct.pack("QQ", 0, hard & (2**64 - 1))
    call("prlimit64", victim.pid, resource.RLIMIT_CORE, limits, None)


def processors_of_the_parent(victim: Victim) -> Iterator[None]:
    mask = sum(1 << number for number in os.sched_getaffinity(0)).to_bytes(128, "little")
    yield
    call("sched_setaffinity", victim.pid, 128, mask)


# Signals: SIGUSR1, which the victim counts


def _by(*names_and_arguments: Any) -> Attack:
    name, *arguments = names_and_arguments

    def attack(victim: Victim) -> Iterator[None]:
        given = [victim.pid if a is Victim else a for a in arguments]
        yield
        call(name, *given)

    return attack


_INFO = struct.pack("iiiiQ", signal.SIGUSR1, 0, -1, 0, 0) + bytes(104)


def signal_by_pidfd(victim: Victim) -> Iterator[None]:
    yield
    call("pidfd_send_signal", call("pidfd_open", victim.pid, 0), signal.SIGUSR1, None, 0)


def signal_by_input(victim: Victim) -> Iterator[None]:
    """Have the kernel send a signal to the parent when a pipe gets input."""
    reading, writing = os.pipe()
    yield
    for command, value in ((8, victim.pid), (10, signal.SIGUSR1), (4, os.O_ASYNC)):
        call("fcntl", reading, command, value)
    os.write(writing, b"x")
    time.sleep(0.05)


# Processes, threads and code


def fork(_: Victim) -> Iterator[None]:
    yield
    if libc.fork() == 0:
        os._exit(0)
    _require(os.wait())


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


def program_in_memory(_: Victim) -> Iterator[None]:
    arguments = (ctypes.c_char_p * 2)(b"true", None)
    with open("/bin/true", "rb") as file:
        content = file.read()
    yield
    number = call("memfd_create", b"true", 0)
    os.write(number, content)
    call("execveat", number, b"", arguments, None, 0x1000)


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
    **{name: _single(name, arguments) for name, arguments in CALLS.items()},
    "kill": _by("kill", Victim, signal.SIGUSR1),
    "tkill": _by("tkill", Victim, signal.SIGUSR1),
    "tgkill": _by("tgkill", Victim, Victim, signal.SIGUSR1),
    "rt_sigqueueinfo": _by("rt_sigqueueinfo", Victim, signal.SIGUSR1, _INFO),
    "rt_tgsigqueueinfo": _by("rt_tgsigqueueinfo", Victim, Victim, signal.SIGUSR1, _INFO),
    "trace": _by("ptrace", 0x4206, Victim, 0, 0),
    "priority_of_the_parent": _by("setpriority", 0, Victim, 19),
    "scheduling_of_the_parent": _by("sched_setscheduler", Victim, 3, struct.pack("i", 0)),
    "reading_of_the_parent": _by("ioprio_set", 1, Victim, 2 << 13 | 7),
    "raise_own_limits": _by(
        "prlimit64", 0, resource.RLIMIT_NOFILE, struct.pack("QQ", 64, 64), None
    ),
    "internet": _by("socket", 2, 1, 0),
    "unix_socket": _by("socket", 1, 1, 0),
    "netlink": _by("socket", 16, 3, 0),
    **{
        attack.__name__: attack
        for attack in (
            *(read_environment, write_memory_file, write_memory, read_memory),
            *(take_descriptor, read_link, list_folder, open_with_flags),
            *(open_by_handle, write_file, limits_of_the_parent, processors_of_the_parent),
            *(signal_by_pidfd, signal_by_input, fork, new_process, new_process_by_clone3),
            *(program, program_in_memory, threads, new_code, memory_to_code, call_of_32_bits),
        )
    },
}
"""All attacks by name."""
