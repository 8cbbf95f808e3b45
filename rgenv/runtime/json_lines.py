r"""A file of JSON lines that only grows, and survives the death of the process that writes it.

::

    lines = JsonLines(folder / "samples.jsonl")
    lines.append({"n": 1})     # from here on, kill -9 does not lose the line
    lines.sync()               # from here on, a power failure does not lose it

A process that is killed while it writes leaves a file that ends without a newline. The next line
that is appended begins anew, and readers skip the torn one.
"""

import contextlib
import errno
import fcntl
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rgenv.runtime.files import naming, open_private

log = logging.getLogger(__name__)


def line_of(row: Any) -> bytes:
    """Return a JSON-able value as one line; ValueError: it contains NaN or an infinite number."""
    return json.dumps(row, allow_nan=False).encode() + b"\n"


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, each with its newline, which the last one may lack."""
    with path.open("rb") as file:
        yield from file


@contextlib.contextmanager
def _alone(file: int) -> Iterator[None]:
    """Wait until no other process is in the middle of a line, where the file system has locks."""
    with contextlib.suppress(OSError):
        fcntl.lockf(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            fcntl.lockf(file, fcntl.LOCK_UN)


class JsonLines:
    """Appends lines to one file, which is created, for this user alone, if there is none.

    Several processes may append to the same file. With `new`, nothing may have its name. An OSError
    names the file.
    """

    def __init__(self, path: Path, *, new: bool = False) -> None:
        self.path = path
        flags = os.O_RDWR | os.O_APPEND | (os.O_EXCL if new else 0)
        self._file: int | None = open_private(path, flags)

    def append(self, row: Any) -> None:
        self.write(line_of(row))

    def write(self, lines: bytes) -> None:
        """Append whole lines, all or none.

        Raises:
            OSError: the disk refuses, or the file is closed; the file has its old content.
        """
        if self._file is None:
            raise OSError(errno.EBADF, "the file is closed", str(self.path))
        with naming(self.path), _alone(self._file):
            size = os.fstat(self._file).st_size
            if size and os.pread(self._file, 1, size - 1) != b"\n":
                lines = b"\n" + lines
            rest = memoryview(lines)
            try:
                while rest:
                    rest = rest[os.write(self._file, rest) :]
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, size)
                raise

    @property
    def is_gone(self) -> bool:
        """Whether the file is closed, was deleted or has been replaced by another one."""
        try:
            return self._file is None or not os.path.samestat(
                os.fstat(self._file), self.path.stat()
            )
        except OSError:
            return True

    def sync(self) -> None:
        """Wait until the lines are on disk, where they survive a power failure."""
        if self._file is not None:
            with naming(self.path):
                os.fsync(self._file)

    def close(self) -> None:
        """Close the file; idempotent."""
        if self._file is not None:
            file, self._file = self._file, None
            os.close(file)


def cut_torn_lines(folder: Path, pattern: str) -> None:
    """Remove the torn last lines of files whose process was killed, and say so in the log."""
    for path in sorted(folder.glob(pattern)):
        try:
            cut = _cut_torn_line(path)
        except OSError as error:
            log.error("The end of %s could not be checked (%s).", path, error)
        else:
            if cut:
                log.warning("Removed an incomplete last line of %d bytes from %s.", cut, path)


def _cut_torn_line(path: Path) -> int:
    """Return the number of bytes that were removed."""
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        if not size or os.pread(file.fileno(), 1, size - 1) == b"\n":
            return 0
        fcntl.lockf(file, fcntl.LOCK_EX)  # a process that lives has finished the line then
        content = path.read_bytes()
        return len(content) - file.truncate(content.rfind(b"\n") + 1)
