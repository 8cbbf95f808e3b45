"""Folders, whole files and JSON; what is created is for this user alone."""

import contextlib
import errno
import itertools
import json
import math
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO


def make_folder(path: Path, *, mode: int = 0o700) -> None:
    """Create a folder and its missing parents, or raise OSError; an existing one keeps its mode."""
    path.mkdir(mode=mode, parents=True, exist_ok=True)


def set_aside(path: Path) -> Path:
    """Rename a file or folder so that its name is free, and return the new one; raise OSError."""
    names = (path.with_name(f"{path.name}.before-{n}") for n in itertools.count(1))
    return path.rename(next(name for name in names if not name.exists()))


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Give an OSError that names no file the name `path`, as when a disk is full."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Write a new content for `path`, which takes effect when the block ends without an error.

    Missing folders are created. A reader sees the old content or the new one, also after a power
    failure. OSError: the disk refuses; it names `path`, whose content is the old one.
    """
    make_folder(path.parent)
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT, 0o600)
        with naming(path), os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        if error.filename == str(temporary):
            error.filename = str(path)  # which the user knows
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write_atomic(path: Path, content: bytes) -> None:
    """Replace the file at `path`, as `replacing` does."""
    with replacing(path) as file:
        file.write(content)


def read_file(path: Path, *, at_most: int = 1 << 30) -> bytes:
    """Return the content of a file; OSError: the system refuses, or it has too many bytes."""
    if path.stat().st_size > at_most:
        raise OSError(errno.EOVERFLOW, f"it has more than {at_most >> 20} MB", str(path))
    return path.read_bytes()


def parse_json(content: bytes | str) -> Any:
    """Return the value of a JSON document; ValueError: it is none, or nested too deeply."""
    try:
        return json.loads(content, parse_constant=_finite, parse_float=_finite)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _finite(text: str) -> float:
    """Refuse NaN and infinities, which Python reads and can't write again as JSON."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text:.40} is not a finite number")
    return number
