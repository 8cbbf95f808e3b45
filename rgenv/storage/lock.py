"""A lock that one process holds, until it ends in whatever way.

On a file system without locks, every process acquires it; the log says so.
"""

import contextlib
import fcntl
import logging
import os
from pathlib import Path

from rgenv.storage.files import is_at, make_folder, open_private

log = logging.getLogger(__name__)


def try_lock(file: int) -> bool | None:
    """Lock an open file; False: another process holds the lock; None: there are no locks here."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


class FileLock:
    """A lock on a file, which is removed with the release; a killed process leaves it.

    Args:
        path: its folder is created when the lock is first acquired.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def acquire(self) -> bool:
        """Take the lock; return False if another process holds it.

        Raises:
            OSError: the file can't be created.
        """
        if self._file is not None:
            return True
        make_folder(self.path.parent)
        file = open_private(self.path, os.O_RDWR)
        locked = try_lock(file)
        if locked is False or not is_at(self.path, file):  # it was released meanwhile
            os.close(file)
            return False
        if locked is None:
            log.warning(
                "The file system of %s has no locks, so nothing notices a second process that "
                "writes there: start each one once, or mount it with locks (Lustre: -o flock).",
                self.path.parent,
            )
        self._file = file
        return True

    def release(self) -> None:
        """Give the lock back; idempotent."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                if is_at(self.path, self._file):
                    self.path.unlink()
            os.close(self._file)
            self._file = None
