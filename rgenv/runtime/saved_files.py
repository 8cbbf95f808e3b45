"""Find the files that a run writes, and read their lines, one at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple


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
