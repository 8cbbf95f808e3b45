"""A file that grows line by line and survives what happens to its process.

::

    journal = Journal(Path("rollouts_0000.jsonl"))   # works in rollouts_0000.jsonl.partial
    journal.append(b'{"n": 1}\n')                    # survives kill -9 from here on
    journal.finish()                                 # rollouts_0000.jsonl, all at once

    finish_torn(folder, "rollouts_*.jsonl")          # completes what dead processes left

A journal is locked while its process lives, so recovery by another never touches it. Where the file
system has no locks, nothing is recovered. What the lines mean is not known here.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
from dataclasses import dataclass
from pathlib import Path

from rgenv.storage.atomic import write_atomic

log = logging.getLogger(__name__)

WORKING, AGAIN, TORN = ".partial", ".again", ".torn"


class Journal:
    """One file under its working name, until `finish` gives it its final one.

    Raises:
        FileExistsError: the final or the working name is taken.
        OSError: the disk refuses.
    """

    def __init__(self, final: Path) -> None:
        self.final = final
        self.path = working_name(final)
        self._file = _create(self.path)
        self._size = 0
        self._doubtful = False
        if final.exists():  # whoever had the working name before us is done with it
            self.path.unlink()
            os.close(self._file)
            raise FileExistsError(17, "finished already", str(final))

    def append(self, lines: bytes, *, sync: bool = False) -> None:
        """Write whole lines, or nothing.

        Raises:
            OSError: the disk refuses, and nothing of `lines` is in the file.
        """
        try:
            _write_all(self._file, lines, self._size)
            if sync:
                os.fsync(self._file)
        except OSError:
            self._doubtful = not self._cut_back()
            raise
        self._size += len(lines)

    def _cut_back(self) -> bool:
        try:
            os.ftruncate(self._file, self._size)
        except OSError:
            return False
        return True

    @property
    def lost(self) -> bool:
        """Whether what was written is not, or not surely, where it should be: write it again."""
        return self._doubtful or not _is_at(self._file, self.path)

    def rewrite(self) -> None:
        """Put all that was written into a new file, in place of one that is `lost`.

        Raises:
            OSError: the disk refuses; call it again later.
        """
        content = os.pread(self._file, self._size, 0)
        working = self.path.with_name(self.path.name + AGAIN)
        working.unlink(missing_ok=True)
        file = _create(working)
        try:
            _write_all(file, content, 0)
            os.fsync(file)
            working.replace(self.path)
        except OSError:
            os.close(file)
            with contextlib.suppress(OSError):
                working.unlink()
            raise
        os.close(self._file)
        self._file, self._doubtful = file, False

    def finish(self) -> None:
        """Give the file its final name, once its content is safe.

        Raises:
            OSError: the disk refuses; it keeps its working name and has to be rewritten.
        """
        try:
            os.fsync(self._file)
        except OSError:
            self._doubtful = True
            raise
        self.path.rename(self.final)
        _sync_folder(self.final.parent)
        os.close(self._file)

    def leave(self) -> None:
        """Give it up as it is, for a later `recover`."""
        os.close(self._file)


@dataclass(frozen=True)
class Recovered:
    """A file that a dead process left: how many whole lines it has, and what was torn."""

    path: Path
    lines: int
    torn: Path | None


def recover(folder: Path, pattern: str) -> list[Recovered]:
    """Finish the journals of dead processes: whole lines keep, the rest is set aside.

    Args:
        pattern: of the final names.

    Raises:
        OSError: the disk refuses; what was not reached stays as it was.
    """
    for rewritten in folder.glob(pattern + WORKING + AGAIN):
        _settle_rewritten(rewritten)
    found = [_recover(path) for path in sorted(folder.glob(pattern + WORKING))]
    return [recovered for recovered in found if recovered is not None]


def finish_torn(folder: Path, pattern: str) -> None:
    """`recover`, told in the log; a disk that refuses is an error there, and raises nothing."""
    try:
        for found in recover(folder, pattern):
            if found.lines:
                log.info("Finished %s of a killed run: %d lines.", found.path, found.lines)
            if found.torn is not None:
                log.warning("A torn last line was set aside in %s.", found.torn)
    except OSError as error:
        log.error("Files of a killed run in %s could not be finished (%s).", folder, error)


def working_name(final: Path) -> Path:
    """Where a journal is until it is finished."""
    return final.with_name(final.name + WORKING)


def _settle_rewritten(path: Path) -> None:
    """A process died while it rewrote its journal: take the copy where the first is gone."""
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        journal = path.with_name(path.name.removesuffix(AGAIN))
        if _lock(file.fileno()):
            path.unlink() if journal.exists() else path.rename(journal)


def _recover(path: Path) -> Recovered | None:
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        if not _lock(file.fileno()) or not _is_at(file.fileno(), path):
            return None
        final = path.with_name(path.name.removesuffix(WORKING))
        if final.exists():  # not ours to decide which of the two is right
            return None
        whole, torn = _sorted_out(file.read())
        aside = final.with_name(final.name + TORN) if torn else None
        if aside is not None:
            write_atomic(aside, torn)
            write_atomic(path, b"".join(whole))
        path.rename(final) if whole else path.unlink()
        _sync_folder(final.parent)
        return Recovered(final, len(whole), aside)
    return None


def _sorted_out(content: bytes) -> tuple[list[bytes], bytes]:
    """Lines that were written whole, and all the rest."""
    lines = content.splitlines(keepends=True)
    whole = [line for line in lines if _is_whole(line)]
    return whole, b"".join(line for line in lines if not _is_whole(line))


def _is_whole(line: bytes) -> bool:
    if not line.endswith(b"\n"):
        return False
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _create(path: Path) -> int:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    _lock(file, wait=True)
    if not _is_at(file, path):  # a recovery came between the two lines above
        os.close(file)
        raise FileExistsError(17, "somebody else took it", str(path))
    return file


def _lock(file: int, *, wait: bool = False) -> bool:
    """Whether this process now holds the file; False where locks are not to be had."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except OSError:
        return False


def _sync_folder(folder: Path) -> None:
    """Make a new name last through a loss of power, where the file system knows how."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _write_all(file: int, content: bytes, offset: int) -> None:
    view = memoryview(content)
    while view:
        written = os.pwrite(file, view, offset)
        view, offset = view[written:], offset + written
