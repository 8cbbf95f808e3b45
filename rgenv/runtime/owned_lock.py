"""A lock that one process holds, until it ends in whatever way, and that names its owner."""

import contextlib
import errno
import logging
import os
import platform
from pathlib import Path

import filelock

from rgenv.runtime.files import make_folder

log = logging.getLogger(__name__)


class OwnedLock:
    """A lock on a file, which is removed with the release; a killed process leaves it.

    On a file system without locks, every process acquires it; the log says so.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = filelock.FileLock(path, mode=0o600, thread_local=False, fallback_to_soft=False)
        self._is_held = False

    def acquire(self) -> bool:
        """Take the lock, or return False if another process holds it; raise OSError."""
        if self._is_held:
            return True
        make_folder(self.path.parent)
        try:
            self._lock.acquire(blocking=False)
        except filelock.Timeout:
            return False
        except OSError as error:
            if error.errno not in (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP):
                raise
            log.warning(
                "The file system of %s has no locks, so nothing notices a second process that "
                "writes there: start each one once, or mount it with locks (Lustre: -o flock).",
                self.path.parent,
            )
        self._is_held = True
        with contextlib.suppress(OSError):
            self.path.write_text(f"Process {os.getpid()} on {platform.node()}")
        return True

    @property
    def owner(self) -> str:
        """Who holds the lock, such as "Process 4711 on node-3"."""
        with contextlib.suppress(OSError):
            return self.path.read_text(errors="replace")[:200] or "Another process"
        return "Another process"

    def release(self) -> None:
        """Give the lock back; idempotent."""
        if self._is_held:
            self._is_held = False
            self.path.unlink(missing_ok=True)
            self._lock.release()
