"""Open files of a run where somebody else may have put other things.

A file is used only if it is a regular file that belongs to this user, to root, or to the owner of
its folder, who could put anything there anyway. Symbolic links are not followed; a pipe or device
is not even opened, so none can block. A file with a second name is not written, because the other
name may be that of something else. What is refused raises `UnsafeFile`, an OSError.

The path of the folder itself may contain links, because the user chose it; `require_own_folders`
refuses them below a folder that the user chose.
"""

import contextlib
import errno
import itertools
import json
import math
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rgenv.errors import UnsafeFile

MOST_BYTES = 1 << 30
"""The most that is read from one file at once."""

MOST_IN_LINE = 1 << 27
"""The most that is read as one line; a group of 64 completions of 100,000 tokens has 30 MB."""

_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


def make_folder(path: Path, *, mode: int = 0o700) -> list[Path]:
    """Create a folder and its missing parents, and return these; an existing one keeps its mode.

    Raises:
        OSError: it can't be created, or a file has its name.
    """
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    for folder in reversed(missing):
        folder.mkdir(mode=mode, exist_ok=True)
    return missing


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove what `make_folder` has created, unless something is in it."""
    with contextlib.suppress(OSError):
        for folder in folders:
            folder.rmdir()


def set_aside(path: Path) -> Path:
    """Rename a file or folder so that its name is free, and return the new one; raise OSError."""
    names = (path.with_name(f"{path.name}.before-{n}") for n in itertools.count(1))
    aside = next(name for name in names if not os.path.lexists(name))
    return path.rename(aside)


def require_own_folders(path: Path, *, below: Path) -> None:
    """Refuse links, and folders of others, between `below` and `path`, unless nothing is there.

    Raises:
        UnsafeFile: one of them is a link, or belongs to somebody else.
    """
    folder = below
    for part in path.relative_to(below).parts:
        owner_above = folder.stat().st_uid if folder.exists() else os.geteuid()
        folder = folder / part
        try:
            found = folder.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return
        if stat.S_ISLNK(found.st_mode):
            raise _refused(folder, "it is a symbolic link, not a folder")
        _require_owner(folder, found, owner_above)


def create_file(path: Path, flags: int = os.O_RDWR) -> int:
    """Create a file that only this user can read, and return its descriptor.

    Raises:
        OSError: the disk refuses, or anything has this name.
    """
    own = os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(path, flags | own, 0o600)


def open_file(path: Path, flags: int = os.O_RDONLY, *, create: bool = False) -> int:
    """Open an existing file and return its descriptor.

    Args:
        flags: how to open it, such as `os.O_RDWR`; the content is never removed.
        create: create it, for this user alone, if there is none.

    Raises:
        UnsafeFile: it is no regular file, belongs to somebody else, or has a second name and is
            opened for writing.
        OSError: the system refuses; FileNotFoundError if there is none.
    """
    if create:
        with contextlib.suppress(FileExistsError):
            return create_file(path, flags)
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):  # opening a device may have an effect
        raise _refused(path, f"it is {_kind(found)}, not a file")
    try:
        file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _refused(path, "it is a symbolic link, not a file") from None
        raise
    try:
        _require_own_file(path, os.fstat(file), writing=flags & os.O_ACCMODE != os.O_RDONLY)
    except BaseException:
        os.close(file)
        raise
    return file


def is_at(path: Path, file: int) -> bool:
    """Return whether an open file still has this name."""
    try:
        return os.path.samestat(os.fstat(file), path.lstat())
    except OSError:
        return False


def read_file(path: Path, *, at_most: int = MOST_BYTES, is_chosen: bool = False) -> bytes:
    """Return the content of a file.

    Args:
        is_chosen: whether the user named the file: a link and any owner are fine.

    Raises:
        UnsafeFile: as `open_file` or `open_chosen`; or it has more than `at_most` bytes.
        OSError: the system refuses; FileNotFoundError if there is none.
    """
    with os.fdopen(open_chosen(path) if is_chosen else open_file(path), "rb") as file:
        require_size(path, file.fileno(), at_most)
        content = file.read()  # `read(at_most)` would take that much memory first
    if len(content) > at_most:
        raise _too_large(path, at_most)
    return content


def read_lines(
    path: Path, *, at_most: int = MOST_IN_LINE, is_chosen: bool = False
) -> Iterator[bytes]:
    """Yield the lines of a file, each with its newline, of which the last may lack one.

    Args:
        at_most: bytes of a line.
        is_chosen: as for `read_file`.

    Raises:
        UnsafeFile: as `open_file` or `open_chosen`; or a line is longer.
        OSError: the system refuses; FileNotFoundError if there is none.
    """
    with os.fdopen(open_chosen(path) if is_chosen else open_file(path), "rb") as file:
        while line := file.readline(at_most + 1):
            if len(line) > at_most:
                raise _refused(path, f"it has a line of more than {at_most >> 20} MB")
            yield line


def require_size(path: Path, file: int, at_most: int) -> None:
    """Raise UnsafeFile if a file has more than `at_most` bytes."""
    if os.fstat(file).st_size > at_most:
        raise _too_large(path, at_most)


def _too_large(path: Path, at_most: int) -> UnsafeFile:
    size = f"{at_most >> 20} MB" if at_most >> 20 else f"{at_most >> 10} kB"
    return _refused(path, f"it has more than {size}")


def parse_json(content: bytes | str) -> Any:
    """Return the value of a JSON document.

    Raises:
        ValueError: it is no JSON, or is nested too deeply.
    """
    try:
        return json.loads(content, parse_constant=_finite, parse_float=_finite)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _finite(text: str) -> float:
    """Refuse NaN and infinities, which Python reads and can't write again as JSON."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text:.40} is no finite number")
    return number


def open_chosen(path: Path) -> int:
    """Open a file that the user named for reading, and return its descriptor: a link and any owner
    are fine.

    Raises:
        UnsafeFile: it is no regular file.
        OSError: the system refuses; FileNotFoundError if there is none.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise _refused(path, f"it is {_kind(found)}, not a file")
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)


def _require_own_file(path: Path, found: os.stat_result, *, writing: bool) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise _refused(path, f"it is {_kind(found)}, not a file")
    _require_owner(path, found, path.parent.stat().st_uid)
    if writing and found.st_nlink > 1:
        raise _refused(path, "it has a second name (a hard link)")


def _require_owner(path: Path, found: os.stat_result, owner_above: int) -> None:
    if found.st_uid not in (os.geteuid(), 0, owner_above):
        raise _refused(path, f"it belongs to another user, of id {found.st_uid}")


def _refused(path: Path, reason: str) -> UnsafeFile:
    return UnsafeFile(errno.EPERM, reason, str(path))


def _kind(found: os.stat_result) -> str:
    return _KINDS.get(stat.S_IFMT(found.st_mode), "no regular file")
