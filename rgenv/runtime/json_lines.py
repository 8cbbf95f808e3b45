"""Files of JSON lines: appended to, and found and read, one line at a time.

After `append`, kill -9 loses nothing of a line; after `sync`, neither does a power failure. A
process that is killed while it writes leaves a torn line, which readers skip.
"""

import contextlib
import errno
import fcntl
import json
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rgenv.runtime.files import naming

log = logging.getLogger(__name__)


def line_of(row: Any) -> bytes:
    """Return a JSON-able value as one line; ValueError: it contains NaN or an infinite number."""
    return json.dumps(row, allow_nan=False, default=plain).encode() + b"\n"


def plain(value: Any) -> Any:
    """Return an array or a number of numpy or torch as lists and numbers; TypeError: it is none."""
    return value.tolist() if hasattr(value, "tolist") else json.JSONEncoder().default(value)


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, each with its newline, which the last one may lack."""
    with path.open("rb") as file:
        yield from file


def _lock(file: int, operation: int) -> None:
    """Lock a file, or unlock it, where its file system has locks."""
    with contextlib.suppress(OSError):
        fcntl.lockf(file, operation)


class JsonLines:
    """Appends lines to one file, which is created, for this user alone, if there is none.

    Several processes may append to the same file. With `new`, nothing may have its name. An OSError
    names the file.
    """

    def __init__(self, path: Path, *, new: bool = False) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | (os.O_EXCL if new else 0)
        self.path, self._file = path, os.open(path, flags, 0o600)

    def append(self, row: Any) -> None:
        self.write(line_of(row))

    def write(self, lines: bytes) -> None:
        """Append whole lines, all or none; OSError: the disk refuses, or the file is closed."""
        with naming(self.path):
            if self._file < 0:
                raise OSError(errno.EBADF, "the file is closed")
            _lock(self._file, fcntl.LOCK_EX)  # no other process is in the middle of a line then
            size = os.fstat(self._file).st_size
            is_torn = size and os.pread(self._file, 1, size - 1) != b"\n"
            rest = memoryview(b"\n" + lines if is_torn else lines)
            try:
                while rest:
                    rest = rest[os.write(self._file, rest) :]
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, size)
                raise
            finally:
                _lock(self._file, fcntl.LOCK_UN)

    @property
    def is_gone(self) -> bool:
        """Whether the file is closed, was deleted or has been replaced by another one."""
        try:
            return not os.path.samestat(os.fstat(self._file), self.path.stat())
        except OSError:
            return True

    def sync(self) -> None:
        """Wait until the lines are on disk, where they survive a power failure."""
        if self._file >= 0:
            with naming(self.path):
                os.fsync(self._file)

    def close(self) -> None:
        """Close the file; idempotent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def cut_torn_lines(folder: Path, pattern: str) -> None:
    """Remove the torn last lines of files whose process was killed, and say so in the log."""
    for path in sorted(folder.glob(pattern)):
        try:
            with path.open("r+b") as file:
                size = file.seek(0, os.SEEK_END)
                if not size or os.pread(file.fileno(), 1, size - 1) == b"\n":
                    continue
                fcntl.lockf(file, fcntl.LOCK_EX)  # a process that lives has finished the line then
                content = path.read_bytes()
                cut = len(content) - file.truncate(content.rfind(b"\n") + 1)
            if cut:
                log.warning("Removed an incomplete last line of %d bytes from %s.", cut, path)
        except OSError as error:
            log.error("The end of %s could not be checked (%s).", path, error)


class Line(NamedTuple):
    """A line of a file, and the bytes before it."""

    path: Path
    number: int
    content: bytes
    offset: int


@dataclass
class Reader:
    """Reads JSON lines below folders; a path may also be one file of any name.

    Attributes:
        unreadable: path -> why it can't be read.
    """

    roots: Sequence[Path]
    unreadable: dict[Path, str] = field(default_factory=dict)

    def lines(self) -> Iterator[Line]:
        """Yield the lines of all files."""
        for path in found_files(self.roots):
            offset = 0
            try:
                with path.open("rb", buffering=2**20) as file:
                    for number, content in enumerate(file, 1):
                        yield Line(path, number, content, offset)
                        offset += len(content)
            except OSError as error:
                self.unreadable[path] = error.strerror or str(error)


def found_files(roots: Sequence[Path]) -> list[Path]:
    """Return the files to read: each root that is a file, and JSON lines below each folder.

    A file that has several names is read once. Hidden folders are left out, and links to folders
    are not followed.
    """
    found: dict[tuple[int, int], Path] = {}
    for root in roots:
        for path in [root] if root.is_file() else sorted(root.rglob("*.jsonl")):
            folders = path.relative_to(root).parts[:-1]
            if path.is_file() and not any(name.startswith(".") for name in folders):
                status = path.stat()
                found.setdefault((status.st_dev, status.st_ino), path)
    return list(found.values())
