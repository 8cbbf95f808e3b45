"""Replace a file atomically: a reader sees the old content or the new one, never a part."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from rgenv.storage.files import make_folder, open_private


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Give an OSError that names no file the name `path`, as when a disk is full."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Write a new content for `path`, which takes effect when the block ends without an error.

    Missing parent folders are created, all for this user alone. The new content is on disk before
    `path` points to it, so a power failure leaves the old content or the new one. A link at `path`
    is replaced, not followed.

    Raises:
        OSError: the disk refuses; the old content of `path` is unchanged. It names a file.
    """
    make_folder(path.parent)
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        with naming(path), os.fdopen(open_private(temporary, os.O_RDWR), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename == str(temporary):
            error.filename = str(path)  # which the user knows
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def write_atomic(path: Path, content: bytes) -> None:
    """Replace the file at `path`, as `replacing` does."""
    with replacing(path) as file:
        file.write(content)
