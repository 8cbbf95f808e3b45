"""MetricsFile: the metrics of a run as JSON lines, one object for each report.

::

    file = MetricsFile(lambda: folder)
    file.append({"run": "5f1c…", "step": 3, "train/accuracy": 0.5})    # in folder/metrics.jsonl

A line is there as a whole or not at all, and survives kill -9. A run that goes on appends to its
file, and so do other runs in the same folder.
"""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import math
import os
import time
from collections.abc import Callable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any

from rgenv.storage.files import make_folder, open_file
from rgenv.text import refusal

log = logging.getLogger(__name__)

NAME = "metrics.jsonl"

DIGITS = 6
"""Significant digits of a number; more would double the size of the file. The time has all."""


LOCK_ATTEMPTS, LOCK_PAUSE = 20, 0.005
"""Another run holds the lock for less than a millisecond."""


class MetricsFile:
    """Appends objects to a file that is created with the first one.

    Args:
        folder: returns the folder, which is created if it does not exist; or raises OSError.
    """

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder
        self._path: Path | None = None
        self._failing = False

    def append(self, row: Mapping[str, Any]) -> None:
        """Append the texts and finite numbers of one report.

        A disk that refuses is logged when it begins to, and the report is lost.
        """
        values = {k: _short(v) for k, v in row.items() if _belongs(v)}
        if isinstance(row.get("time"), Real):
            values["time"] = round(float(row["time"]), 3)
        line = json.dumps(values) + "\n"
        path = Path(NAME)
        try:
            path = self._folder() / NAME
            make_folder(path.parent)
            _append(path, line.encode())
        except OSError as error:
            if not self._failing:
                name = path if path.name != str(path) else error.filename  # of the folder
                log.error("Metrics can't be written to %s (%s).", name, refusal(error))
            self._failing = True
            return
        if path != self._path or self._failing:
            log.info("Metrics are written to %s.", path)
        self._path, self._failing = path, False


def _append(path: Path, line: bytes) -> None:
    """Append one line, on a line of its own if another process died while it wrote."""
    file = open_file(path, os.O_RDWR | os.O_APPEND, create=True)
    try:
        _lock(file)
        size = os.fstat(file).st_size
        if size and os.pread(file, 1, size - 1) != b"\n":
            line = b"\n" + line
        if os.write(file, line) != len(line):
            os.ftruncate(file, size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(file)


def _lock(file: int) -> None:
    """Wait for a lock, but not for long: some file systems have none, and anyone may hold one."""
    for _ in range(LOCK_ATTEMPTS):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(LOCK_PAUSE)
        except OSError:
            return
        else:
            return


def _belongs(value: Any) -> bool:
    """Return whether a value is a text or a finite number; tables and pictures are neither."""
    return isinstance(value, str) or (isinstance(value, Real) and math.isfinite(value))


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value
    number = float(f"{float(value):.{DIGITS}g}")
    return int(value) if float(value).is_integer() else number
