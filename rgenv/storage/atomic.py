"""Replace a file atomically: a reader sees the old content or the new one, never a part."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomic(path: Path, content: bytes) -> None:
    """Replace the file at `path` and create missing parent folders.

    The new content is on disk before `path` points to it, so a power failure leaves the old
    content or the new one.

    Raises:
        OSError: the disk refuses; the old content of `path` is unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
