"""landlock.py: the system calls for each version of Landlock, as they are recorded."""

import os
import struct
from collections.abc import Callable
from typing import Any

import pytest

from rgenv.worker.sandbox import landlock
from rgenv.worker.sandbox.landlock import give_up_all_but

CREATE, ADD_RULE, RESTRICT = 444, 445, 446


def kernel(version: int, calls: list[tuple[Any, ...]]) -> Callable[..., int]:
    def call(number: int, *arguments: Any) -> int:
        calls.append((number, *arguments))
        if number == CREATE and arguments[0] is None:
            return version
        return os.open(os.devnull, os.O_RDONLY) if number == CREATE else 0

    return call


@pytest.mark.parametrize(
    ("version", "fields"),
    [
        (1, [2**13 - 1]),
        (2, [2**14 - 1]),
        (3, [2**15 - 1]),
        (4, [2**15 - 1, 3]),
        (5, [2**16 - 1, 3]),
        (6, [2**16 - 1, 3, 3]),
        (99, [2**16 - 1, 3, 3]),
    ],
)
def test_all_rights_of_a_version_are_given_up(
    version: int, fields: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(landlock, "_call", kernel(version, calls))
    assert give_up_all_but(["/tmp"]) == version
    ask, create, rule, restrict = calls
    assert ask == (CREATE, None, 0, 1)
    attributes = create[1]
    assert struct.unpack(f"={len(fields)}Q", attributes) == tuple(fields)
    assert create == (CREATE, attributes, 8 * len(fields), 0)
    assert (rule[0], rule[2], rule[4]) == (ADD_RULE, 1, 0)
    rights, folder = struct.unpack("=Qi", rule[3])
    assert rights == 0b1100  # read files, list folders
    assert restrict[0] == RESTRICT and restrict[2] == 0
    for number in (folder, restrict[1]):
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(number)
