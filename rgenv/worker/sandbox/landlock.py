"""Take files, TCP ports and foreign processes away from this process, with Landlock.

What is open stays open. Landlock needs Linux 5.13, and no privilege. The numbers are those of
``linux/landlock.h``; the system calls have the same ones on every architecture.
"""

import ctypes
import os
import struct
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_FOR_VERSION = 1
_BENEATH_A_PATH = 1
_READ_FILES_AND_LIST_FOLDERS = 1 << 2 | 1 << 3

_FILES = {
    1: 0x1FFF,  # execute, read, write, list, remove and make files of each kind
    2: 1 << 13,  # move files to other folders
    3: 1 << 14,  # truncate
    5: 1 << 15,  # ioctl of devices
}
"""Version of Landlock -> the rights to files that came with it."""
_PORTS = {4: 0b11}  # bind and connect TCP
_SCOPES = {6: 0b11}  # abstract Unix sockets and signals of processes outside


def give_up_all_but(readable: Iterable[str]) -> int:
    """Give up all rights of this thread, and of what it starts; return the version of Landlock.

    Args:
        readable: folders whose files can be read, and those of the folders in them.

    Raises:
        OSError: with ENOSYS the kernel has no Landlock; with EOPNOTSUPP it is turned off.
    """
    version = _call(_CREATE_RULESET, None, 0, _ASK_FOR_VERSION)
    fields = [
        sum(bits for since, bits in rights.items() if since <= version)
        for rights in (_FILES, _PORTS, _SCOPES)
        if version >= min(rights)
    ]
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    rules = _call(_CREATE_RULESET, attributes, len(attributes), 0)
    try:
        for folder in readable:
            try:
                number = os.open(folder, os.O_PATH | os.O_CLOEXEC)
            except PermissionError:  # its files can't be read anyway
                continue
            rule = struct.pack("=Qi", _READ_FILES_AND_LIST_FOLDERS, number)
            try:
                _call(_ADD_RULE, rules, _BENEATH_A_PATH, rule, 0)
            finally:
                os.close(number)
        _call(_RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)
    return version


def _call(number: int, *arguments: bytes | int | None) -> int:
    function = ctypes.CDLL(None, use_errno=True).syscall
    function.restype = ctypes.c_long
    given = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result: int = function(ctypes.c_long(number), *given)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
