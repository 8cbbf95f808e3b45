r"""A JSON lines file that grows line by line and survives the death of its process.

::

    journal = Journal(Path("rollouts_0000.jsonl"))   # writes to rollouts_0000.jsonl.partial
    journal.append(b'{"n": 1}\n')                    # from here on, kill -9 does not lose the line
    journal.finish()                                 # renames it to rollouts_0000.jsonl

    finish_abandoned(folder, "rollouts_*.jsonl")          # finishes the journals of dead processes

A process holds a lock on its journal while it runs, so another process does not recover it. On a
file system without locks, nothing is recovered.

File names, for a journal ``X``: ``X.partial`` is being written; ``X.partial.again`` is a copy that
replaces a damaged ``X.partial``; ``X.torn`` holds the bytes of a dead process that are not whole
lines.

Not here: what the lines mean.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rgenv.errors import UnsafeFile
from rgenv.storage.atomic import naming, write_atomic
from rgenv.storage.files import create_file, open_file, parse_json, require_size
from rgenv.text import refusal

log = logging.getLogger(__name__)

PARTIAL, REWRITE, TORN = ".partial", ".again", ".torn"

MOST_BYTES = 1 << 32
"""A larger journal is not recovered, because that takes as much memory."""


class Journal:
    """An append-only file that has a working name until `finish` gives it the final one.

    Args:
        final: the final name. The folder must exist.

    Raises:
        FileExistsError: a file with the final or the working name exists.
        OSError: the disk refuses.
    """

    def __init__(self, final: Path) -> None:
        self.final = final
        self.path = working_name(final)
        self._file = _create(self.path)
        self._size = 0
        self._damaged = False
        if os.path.lexists(final):  # another process finished this journal before we created ours
            self.path.unlink()
            os.close(self._file)
            raise FileExistsError(errno.EEXIST, "the final name exists", str(final))

    def append(self, lines: bytes) -> None:
        """Append whole lines. If that fails, remove what was written of them.

        Args:
            lines: one or more lines, each with its newline.

        Raises:
            OSError: the disk refuses. The file has its old content, or `needs_rewrite` is True.
        """
        try:
            with naming(self.path):
                _write_all(self._file, lines, self._size)
        except OSError:
            self._damaged = not self._truncate()
            raise
        self._size += len(lines)

    def _truncate(self) -> bool:
        """Cut the file back to the lines that were appended; return False if that fails."""
        try:
            os.ftruncate(self._file, self._size)
        except OSError:
            return False
        return True

    @property
    def needs_rewrite(self) -> bool:
        """Whether the file was deleted or replaced, or its content is in doubt after an error."""
        return self._damaged or not _is_open_at(self._file, self.path)

    def rewrite(self) -> None:
        """Copy all appended lines to a new file and put it in place of the old one.

        Raises:
            OSError: the disk refuses. It can be called again later.
        """
        content = os.pread(self._file, self._size, 0)
        copy = self.path.with_name(self.path.name + REWRITE)
        copy.unlink(missing_ok=True)
        file = _create(copy)
        try:
            with naming(self.path):
                _write_all(file, content, 0)
                os.fsync(file)
            copy.replace(self.path)
        except OSError:
            os.close(file)
            with contextlib.suppress(OSError):
                copy.unlink()
            raise
        os.close(self._file)
        self._file, self._damaged = file, False

    def finish(self) -> None:
        """Wait until the content is on disk, then give the file its final name.

        Raises:
            OSError: the disk refuses. The file keeps its working name.
        """
        try:
            with naming(self.path):
                os.fsync(self._file)
        except OSError:
            self._damaged = True
            raise
        self.path.rename(self.final)
        _sync_folder(self.final.parent)
        os.close(self._file)

    def abandon(self) -> None:
        """Close the file under its working name; a later `recover` finishes it."""
        os.close(self._file)


@dataclass(frozen=True)
class Recovered:
    """A journal of a dead process that `recover` finished.

    Attributes:
        path: the final name; the file exists only if it has lines.
        lines: the number of whole lines.
        torn: the file with the bytes that were not whole lines; None if there were none.
    """

    path: Path
    lines: int
    torn: Path | None


def recover(folder: Path, pattern: str) -> list[Recovered]:
    """Finish the journals of dead processes: keep whole lines, move other bytes to ``X.torn``.

    What has the name of a journal and is none of our files stays as it is; the log says so.

    Args:
        pattern: matches the final names.

    Raises:
        OSError: the disk refuses. Journals that were not reached are unchanged.
    """
    recovered = []
    for path in sorted(folder.glob(pattern + PARTIAL + REWRITE)):
        with _left_if_unsafe():
            _finish_interrupted_rewrite(path)
    for path in sorted(folder.glob(pattern + PARTIAL)):
        with _left_if_unsafe():
            recovered.append(_recover(path))
    return [journal for journal in recovered if journal is not None]


@contextlib.contextmanager
def _left_if_unsafe() -> Iterator[None]:
    try:
        yield
    except UnsafeFile as error:
        log.warning("%s stays as it is: %s.", error.filename, refusal(error))


def finish_abandoned(folder: Path, pattern: str) -> None:
    """Run `recover` and log the result; a disk that refuses is logged as an error, not raised."""
    try:
        for journal in recover(folder, pattern):
            if journal.lines:
                log.info("Finished %s of a killed run: %d lines.", journal.path, journal.lines)
            if journal.torn is not None:
                log.warning("Moved an incomplete last line to %s.", journal.torn)
    except OSError as error:
        log.error("Could not finish the files of a killed run in %s (%s).", folder, error)


def working_name(final: Path) -> Path:
    """Return the name of a journal that is not finished yet."""
    return final.with_name(final.name + PARTIAL)


def _finish_interrupted_rewrite(copy: Path) -> None:
    """Use the copy of a process that died in `rewrite` if its journal is gone, else delete it."""
    with contextlib.suppress(FileNotFoundError), os.fdopen(open_file(copy), "rb") as file:
        journal = copy.with_name(copy.name.removesuffix(REWRITE))
        if _lock(file.fileno()):
            copy.unlink() if os.path.lexists(journal) else copy.rename(journal)


def _recover(path: Path) -> Recovered | None:
    """Finish one journal; None if its process is alive or its final name exists."""
    with contextlib.suppress(FileNotFoundError), os.fdopen(open_file(path), "rb") as file:
        if not _lock(file.fileno()) or not _is_open_at(file.fileno(), path):
            return None
        final = path.with_name(path.name.removesuffix(PARTIAL))
        if os.path.lexists(final):  # a person has to decide which of the two files is right
            return None
        require_size(path, file.fileno(), MOST_BYTES)
        whole, rest = _split_whole_lines(file.read())
        torn = final.with_name(final.name + TORN) if rest else None
        if torn is not None:
            write_atomic(torn, rest)
            write_atomic(path, b"".join(whole))
        path.rename(final) if whole else path.unlink()
        _sync_folder(final.parent)
        return Recovered(final, len(whole), torn)
    return None


def _split_whole_lines(content: bytes) -> tuple[list[bytes], bytes]:
    """Return the lines that are whole JSON documents, and all other bytes."""
    lines = content.splitlines(keepends=True)
    whole = [line for line in lines if _is_whole(line)]
    return whole, b"".join(line for line in lines if not _is_whole(line))


def _is_whole(line: bytes) -> bool:
    if not line.endswith(b"\n"):
        return False
    try:
        parse_json(line)
    except ValueError:
        return False
    return True


def _create(path: Path) -> int:
    """Create and lock a new file; return its descriptor."""
    file = create_file(path)
    _lock(file, wait=True)
    if not _is_open_at(file, path):  # another process recovered the file before we had the lock
        os.close(file)
        raise FileExistsError(errno.EEXIST, "another process took this file", str(path))
    return file


def _lock(file: int, *, wait: bool = False) -> bool:
    """Lock a file; return False if another process holds it or there are no locks here."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_open_at(file: int, path: Path) -> bool:
    """Return whether `path` still names the open file."""
    try:
        return os.path.samestat(os.fstat(file), path.lstat())
    except OSError:
        return False


def _sync_folder(folder: Path) -> None:
    """Put new names in a folder on disk, where the file system supports that."""
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
