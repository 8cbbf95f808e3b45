"""Replacing a file atomically: readers see the old content or the new one, never a part."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomic(path: Path, content: bytes) -> None:
    """Replace the file at `path`; missing folders are made.

    The content is on the disk before the name points to it, so a loss of power keeps either.

    Raises:
        OSError: the disk refuses; what was at `path` is still there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    working = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with working.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        working.replace(path)
    except OSError:
        working.unlink(missing_ok=True)
        raise
