"""rgenv/worker/sandbox/system_calls.py: the filter decides the same on both architectures."""

import errno
import os
import struct
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

pyseccomp = pytest.importorskip("pyseccomp", exc_type=Exception)

from rgenv.worker.sandbox import system_calls  # noqa: E402

ARCHITECTURES = {"x86_64": pyseccomp.Arch.X86_64, "aarch64": pyseccomp.Arch.AARCH64}
ALLOW, KILL, EPERM = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
PROT_EXEC, RLIMIT_CPU, RLIMIT_AS, ITIMER_REAL, ITIMER_PROF = 4, 0, 9, 0, 2


def filter_program(architecture: str) -> list[tuple[int, int, int, int]]:
    rules = system_calls.new_filter(ARCHITECTURES[architecture])
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return list(struct.iter_unpack("<HBBI", file.read()))


def decision(
    program: list[tuple[int, int, int, int]], architecture: int, number: int, *arguments: int
) -> int:
    """Run a filter on a system call, as the kernel does."""
    given = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number, architecture, 0, *given)
    accumulator, place = 0, 0
    while True:
        code, if_true, if_false, value = program[place]
        place += 1
        if code == 0x06:  # return
            return value
        if code == 0x20:  # load
            [accumulator] = struct.unpack_from("<I", data, value)
        elif code == 0x54:  # and
            accumulator &= value
        elif code == 0x05:  # jump
            place += value
        else:
            holds = {
                0x15: accumulator == value,
                0x25: accumulator > value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[code]
            place += if_true if holds else if_false


@pytest.fixture(params=ARCHITECTURES)
def decide(request: pytest.FixtureRequest) -> Iterator[Any]:
    """``decide(name, *arguments)`` on each architecture; None if it has no such call."""
    architecture = ARCHITECTURES[request.param]
    program = filter_program(request.param)

    def decide_call(name: str, *arguments: int) -> int | None:
        number = pyseccomp.resolve_syscall(architecture, name)
        return None if number < 0 else decision(program, architecture, number, *arguments)

    yield decide_call


def test_every_call_of_the_list_exists(decide: Any) -> None:
    """Each call is allowed with the arguments of its group, except for an old name on aarch64."""
    for group in system_calls.ALLOWED:
        given = [0] * 6
        for condition in group.conditions[0]:
            given[condition.argument] = condition.value
        for name in group.calls.split():
            assert decide(name, *given) == ALLOW or (name == "time" and decide(name) is None)


@pytest.mark.parametrize(
    ("name", "arguments", "allowed"),
    [
        ("mmap", (0, 4096, 3), True),
        ("mmap", (0, 4096, PROT_EXEC), False),
        ("mmap", (0, 4096, 7), False),
        ("mprotect", (0, 4096, 3), True),
        ("mprotect", (0, 4096, 5), False),
        ("prlimit64", (0, RLIMIT_AS, 0, 4096), True),
        ("prlimit64", (0, RLIMIT_AS, 4096, 0), False),
        ("prlimit64", (0, RLIMIT_CPU, 4096, 0), False),
        ("prlimit64", (7, RLIMIT_AS, 0, 4096), False),
        ("prlimit64", (1 << 32, RLIMIT_AS, 0, 4096), False),
        *[(name, (), False) for name in "kill tgkill prctl execve socket clone ioctl dup".split()],
        ("setitimer", (ITIMER_PROF,), True),
        ("setitimer", (ITIMER_REAL,), False),
        ("openat", (0, 0, os.O_RDONLY | os.O_CLOEXEC), True),
        *[("openat", (0, 0, flag), False) for flag in (os.O_WRONLY, os.O_RDWR, os.O_CREAT)],
        *[("openat", (0, 0, flag), False) for flag in (os.O_TRUNC, os.O_APPEND, os.O_TMPFILE | 2)],
        *[(name, (), False) for name in "fcntl pipe2 ptrace bpf readv sendmsg".split()],
    ],
)
def test_arguments_decide(
    decide: Any, name: str, arguments: tuple[int, ...], allowed: bool
) -> None:
    """No memory becomes code, no file is written, and no limit changes but that of its time."""
    assert decide(name, *arguments) == (ALLOW if allowed else EPERM)


def test_the_new_call_for_processes_is_not_there(decide: Any) -> None:
    """So the C library makes the old one."""
    assert decide("clone3") == 0x00050000 | errno.ENOSYS


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_calls_of_another_architecture_kill(architecture: str) -> None:
    """Calls of 32 bits, and on x86_64 those of x32, end the process."""
    program = filter_program(architecture)
    assert decision(program, pyseccomp.Arch.X86, 20) == KILL
    if architecture == "x86_64":
        assert decision(program, ARCHITECTURES[architecture], 0x40000000 | 39) == KILL
