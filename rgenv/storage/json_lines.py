r"""A file of JSON lines that only grows, and survives the death of the process that writes it.

::

    lines = JsonLines(folder / "samples.jsonl")
    lines.append({"n": 1})     # from here on, kill -9 does not lose the line
    lines.sync()               # from here on, a power failure does not lose it
    lines.close()

    cut_torn_lines(folder, "rollouts_*.jsonl")    # of processes that were killed

A line is in the file as a whole, unless its process is killed while it writes: then the file ends
without a newline. Readers skip such an end, and the next line begins a line of its own.
"""

import contextlib
import errno
import fcntl
import json
import logging
import os
import time
from pathlib import Path
from typing import Any

from rgenv.storage.atomic import naming
from rgenv.storage.files import MOST_IN_LINE, is_at, open_private
from rgenv.storage.lock import try_lock

log = logging.getLogger(__name__)

LOCK_ATTEMPTS, LOCK_PAUSE = 20, 0.005
"""Another process holds the lock of a shared file for less than a millisecond."""


def line_of(row: Any) -> bytes:
    """Return a JSON-able value as one line; ValueError: it contains NaN or an infinite number."""
    return json.dumps(row, allow_nan=False).encode() + b"\n"


class JsonLines:
    """Appends lines to one file, which is created, for this user alone, if there is none.

    Args:
        new: create the file.
        shared: other processes append to the same file.

    Raises:
        FileExistsError: the file is to be new, and anything has its name.
        OSError: the disk refuses. It names the file.
    """

    def __init__(self, path: Path, *, new: bool = False, shared: bool = False) -> None:
        flags = os.O_RDWR | os.O_APPEND | (os.O_EXCL if new else 0)
        self.path = path
        self._shared = shared
        self._file: int | None = open_private(path, flags)
        if not shared:  # tells `cut_torn_lines` that this process lives
            try_lock(self._file)

    def append(self, row: Any) -> None:
        self.write(line_of(row))

    def write(self, lines: bytes) -> None:
        """Append whole lines, all or none.

        Raises:
            OSError: the disk refuses, or the file is closed; the file has its old content.
        """
        if self._file is None:
            raise OSError(errno.EBADF, "the file is closed", str(self.path))
        with naming(self.path):
            try:
                if self._shared:
                    _wait_for_lock(self._file)
                _append(self._file, lines)
            finally:
                if self._shared:
                    with contextlib.suppress(OSError):
                        fcntl.flock(self._file, fcntl.LOCK_UN)

    @property
    def is_gone(self) -> bool:
        """Whether the file is closed, was deleted or has been replaced by another one."""
        return self._file is None or not is_at(self.path, self._file)

    def content(self) -> bytes:
        """Return all bytes of the open file, also of one that was deleted."""
        assert self._file is not None
        return os.pread(self._file, os.fstat(self._file).st_size, 0)

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
    """Remove what is no whole line from the ends of files whose process was killed.

    Nothing is raised: the log says what was removed, and what could not be.
    """
    for path in sorted(folder.glob(pattern)):
        try:
            cut = _cut_torn_line(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            log.error("The end of %s could not be checked (%s).", path, error)
        else:
            if cut:
                log.warning("Removed an incomplete last line of %d bytes from %s.", cut, path)


def _cut_torn_line(path: Path) -> int:
    """Return the number of bytes that were removed; 0 if the file's process lives."""
    with path.open("r+b") as file:
        size = os.fstat(file.fileno()).st_size
        before = max(0, size - MOST_IN_LINE)
        if not size or not try_lock(file.fileno()) or os.pread(file.fileno(), 1, size - 1) == b"\n":
            return 0
        file.seek(before)
        whole = file.read(MOST_IN_LINE).rfind(b"\n") + 1
        if before and not whole:  # no file of ours has such a line
            return 0
        file.truncate(before + whole)
        return size - before - whole


def _append(file: int, lines: bytes) -> None:
    size = os.fstat(file).st_size
    if size and os.pread(file, 1, size - 1) != b"\n":  # a process was killed while it wrote
        lines = b"\n" + lines
    rest = memoryview(lines)
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(file, size)
        raise


def _wait_for_lock(file: int) -> None:
    """Wait for the lock, but not for long: anyone may hold it."""
    for _ in range(LOCK_ATTEMPTS):
        if try_lock(file) is not False:
            return
        time.sleep(LOCK_PAUSE)
