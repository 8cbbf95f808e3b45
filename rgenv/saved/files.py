"""Find the files that a run writes, and read their lines, one at a time."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

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
class Reader:
    """Reads JSON lines below folders; a path may also be one file of any name.

    Attributes:
        unreadable: path -> why it can't be read.
    """

    roots: Sequence[Path]
    unreadable: dict[Path, str] = field(default_factory=dict)

    def lines(self) -> Iterator[Line]:
        """Yield the lines of all files; one that has several names is read once."""
        seen: set[tuple[int, int]] = set()
        for path in found_files(self.roots):
            try:
                with path.open("rb", buffering=BUFFER) as file:
                    status = os.fstat(file.fileno())
                    if (status.st_dev, status.st_ino) not in seen:
                        seen.add((status.st_dev, status.st_ino))
                        yield from _lines(file, path)
            except OSError as error:
                self.unreadable[path] = error.strerror or str(error)


def _lines(file: BinaryIO, path: Path) -> Iterator[Line]:
    number, offset, skipping = 1, 0, False
    while line := file.readline(MAX_LINE):
        too_long = skipping or (len(line) == MAX_LINE and not line.endswith(b"\n"))
        skipping = too_long and not line.endswith(b"\n")
        if not skipping:
            yield Line(path, number, None if too_long else line, offset)
            number += 1
        offset += len(line)


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
