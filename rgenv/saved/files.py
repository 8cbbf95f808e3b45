"""Find the files that a run writes, and read the lines that are new since the last time.

A file is known by its inode. A file that became shorter is read again from its beginning. One line
at a time is in memory.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from rgenv.storage.files import open_chosen, open_file

ENDING = ".jsonl"
OTHER = frozenset({"progress.jsonl"})
"""JSON lines that hold neither groups nor metrics."""

MAX_LINE = 64 * 2**20
"""Bytes of a line; a longer one is skipped."""


BUFFER = 2**20
"""Bytes read at once."""


@dataclass(frozen=True)
class Line:
    """A line of a file.

    Attributes:
        content: None for a line with more than `MAX_LINE` bytes.
    """

    path: Path
    number: int
    content: bytes | None
    offset: int


@dataclass
class _Place:
    path: Path
    offset: int = 0
    lines: int = 0
    skipping: bool = False


def open_saved(path: Path, roots: Collection[Path], *, buffering: int = BUFFER) -> BinaryIO:
    """Open a file of a run; links are fine where the user named them, as one of `roots`.

    Raises:
        UnsafeFile: it is no regular file, or another one is a link or somebody else's.
        OSError: the system refuses.
    """
    number = open_chosen(path) if path in roots else open_file(path)
    return os.fdopen(number, "rb", buffering=buffering)


@dataclass
class Reader:
    """Reads JSON lines below folders; a path may also be one file of any name.

    Attributes:
        unreadable: path -> why it can't be read.
        incomplete: files whose last line has no end yet.
    """

    roots: Sequence[Path]
    unreadable: dict[Path, str] = field(default_factory=dict)
    incomplete: set[Path] = field(default_factory=set)
    _places: dict[tuple[int, int], _Place] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        """The files that were read, in the order of their first reading."""
        return [place.path for place in self._places.values()]

    def lines(self, *, last: bool = False) -> Iterator[Line]:
        """Yield the lines that were not read yet; with `last`, a last one without an end, too."""
        for path in found_files(self.roots):
            try:
                with open_saved(path, self.roots) as file:
                    status = os.fstat(file.fileno())
                    place = self._place(path, status)
                    if place.offset == status.st_size:
                        continue
                    yield from _new_lines(file, place, last=last)
                    done = place.offset >= os.fstat(file.fileno()).st_size
            except OSError as error:
                self.unreadable[path] = error.strerror or str(error)
                continue
            self.unreadable.pop(path, None)
            (self.incomplete.discard if done else self.incomplete.add)(path)

    def _place(self, path: Path, status: os.stat_result) -> _Place:
        key = status.st_dev, status.st_ino
        place = self._places.setdefault(key, _Place(path))
        if status.st_size < place.offset:
            place.offset = place.lines = 0
        if place.path != path:
            self.incomplete.discard(place.path)
            place.path = path
        return place


def _new_lines(file: BinaryIO, place: _Place, *, last: bool) -> Iterator[Line]:
    file.seek(place.offset)
    while line := file.readline(MAX_LINE):
        whole = line.endswith(b"\n")
        too_long = place.skipping or (not whole and len(line) == MAX_LINE)
        if not whole and not too_long and not last:
            return
        place.offset += len(line)
        place.skipping = too_long and not whole
        if place.skipping:
            continue
        place.lines += 1
        content = None if too_long else line
        yield Line(place.path, place.lines, content, place.offset - len(line))


def found_files(roots: Sequence[Path]) -> list[Path]:
    """Return the files to read: each root that is a file, and JSON lines below each folder.

    Hidden folders are left out, and links to folders are not followed.
    """
    found: dict[Path, None] = {}
    for root in roots:
        if root.is_file():
            found[root] = None
            continue
        below: list[Path] = []
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if not name.startswith(".")]
            below += [Path(folder, name) for name in names if _belongs(name)]
        found |= dict.fromkeys(sorted(p for p in below if p.is_file()))
    return list(found)


def _belongs(name: str) -> bool:
    return name not in OTHER and name.endswith(ENDING)
