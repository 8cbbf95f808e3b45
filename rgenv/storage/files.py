"""Folders, whole files and JSON: what several parts do with them."""

import contextlib
import errno
import itertools
import json
import math
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

MOST_BYTES = 1 << 30
"""The most that is read from one file at once."""

MOST_IN_LINE = 1 << 27
"""The most that is read as one line; a group of 64 completions of 100,000 tokens has 30 MB."""


def make_folder(path: Path, *, mode: int = 0o700) -> list[Path]:
    """Create a folder and its missing parents, and return these; an existing one keeps its mode.

    Raises:
        OSError: it can't be created, or a file has its name.
    """
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    for folder in reversed(missing):
        folder.mkdir(mode=mode, exist_ok=True)
    return missing


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove what `make_folder` has created, unless something is in it."""
    with contextlib.suppress(OSError):
        for folder in folders:
            folder.rmdir()


def set_aside(path: Path) -> Path:
    """Rename a file or folder so that its name is free, and return the new one; raise OSError."""
    names = (path.with_name(f"{path.name}.before-{n}") for n in itertools.count(1))
    aside = next(name for name in names if not os.path.lexists(name))
    return path.rename(aside)


def open_private(path: Path, flags: int) -> int:
    """Open a file and return its descriptor; create it, for this user alone, if there is none."""
    return os.open(path, flags | os.O_CREAT | os.O_CLOEXEC, 0o600)


def is_at(path: Path, file: int) -> bool:
    """Return whether an open file still has this name."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except OSError:
        return False


def read_file(path: Path, *, at_most: int = MOST_BYTES) -> bytes:
    """Return the content of a file.

    Raises:
        OSError: the system refuses, or it has more than `at_most` bytes; FileNotFoundError if there
            is none.
    """
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > at_most:
            size = f"{at_most >> 20} MB" if at_most >> 20 else f"{at_most >> 10} kB"
            raise OSError(errno.EFBIG, f"it has more than {size}", str(path))
        return file.read()


def read_lines(path: Path, *, at_most: int = MOST_IN_LINE) -> Iterator[bytes]:
    """Yield the lines of a file, each with its newline, of which the last may lack one.

    Raises:
        OSError: the system refuses, or a line has more than `at_most` bytes; FileNotFoundError if
            there is none.
    """
    with path.open("rb") as file:
        while line := file.readline(at_most + 1):
            if len(line) > at_most:
                reason = f"it has a line of more than {at_most >> 20} MB"
                raise OSError(errno.EFBIG, reason, str(path))
            yield line


def parse_json(content: bytes | str) -> Any:
    """Return the value of a JSON document.

    Raises:
        ValueError: it is no JSON, or is nested too deeply.
    """
    try:
        return json.loads(content, parse_constant=_finite, parse_float=_finite)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _finite(text: str) -> float:
    """Refuse NaN and infinities, which Python reads and can't write again as JSON."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text:.40} is no finite number")
    return number
