"""MetricsFile: the metrics of a run as JSON lines, one object for each report.

::

    file = MetricsFile(lambda: folder)
    file.append({"run": "5f1c…", "step": 3, "train/accuracy": 0.5})    # in folder/metrics.jsonl

A line is there as a whole or not at all, and survives kill -9. A run that goes on appends to its
file, and so do other runs in the same folder.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import logging
import math
import os
from collections.abc import Callable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

NAME = "metrics.jsonl"

DIGITS = 6
"""Significant digits of a number; more would double the size of the file. The time has all."""


class MetricsFile:
    """Appends objects to a file that is created with the first one.

    Args:
        folder: returns the folder, which is created if it does not exist.
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
        path = self._folder() / NAME
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _append(path, line.encode())
        except OSError as error:
            if not self._failing:
                log.error("Metrics can't be written to %s (%s).", path, error)
            self._failing = True
            return
        if path != self._path or self._failing:
            log.info("Metrics are written to %s.", path)
        self._path, self._failing = path, False


def _append(path: Path, line: bytes) -> None:
    """Append one line, on a line of its own if another process died while it wrote."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        with contextlib.suppress(OSError):  # some file systems have no locks
            fcntl.flock(file, fcntl.LOCK_EX)
        size = os.fstat(file).st_size
        if size and os.pread(file, 1, size - 1) != b"\n":
            line = b"\n" + line
        if os.write(file, line) != len(line):
            os.ftruncate(file, size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(file)


def _belongs(value: Any) -> bool:
    """Return whether a value is a text or a finite number; tables and pictures are neither."""
    return isinstance(value, str) or (isinstance(value, Real) and math.isfinite(value))


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value
    number = float(f"{float(value):.{DIGITS}g}")
    return int(value) if float(value).is_integer() else number
