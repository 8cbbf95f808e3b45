"""MetricsFile: the metrics of a run as JSON lines, one object for each report.

::

    file = MetricsFile(Path("data_dumps"), replica_id=0, num_replicas=1)
    file.append({"run": "5f1c…", "step": 3, "train/accuracy": 0.5})    # data_dumps/metrics.jsonl

A line is there as a whole or not at all, and survives kill -9. Runs in the same folder append to
the same file; replicas have a file each.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import logging
import math
import os
from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

DIGITS = 6
"""Significant digits of a number; more would double the size of the file."""


class MetricsFile:
    """Appends objects to a file that is created with the first one.

    Args:
        folder: created if it does not exist.
        replica_id: part of the file's name if there are several replicas.

    Attributes:
        path: the file.
    """

    def __init__(self, folder: Path, *, replica_id: int = 0, num_replicas: int = 1) -> None:
        suffix = f"_replica{replica_id}" if num_replicas > 1 else ""
        self.path = folder / f"metrics{suffix}.jsonl"
        self._failing = False

    def append(self, row: Mapping[str, Any]) -> None:
        """Append the texts and finite numbers of one report.

        A disk that refuses is logged when it begins to, and the report is lost.
        """
        line = json.dumps({k: _short(v) for k, v in row.items() if _belongs(v)}) + "\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _append(self.path, line.encode())
        except OSError as error:
            if not self._failing:
                log.error("Metrics can't be written to %s (%s).", self.path, error)
            self._failing = True
        else:
            self._failing = False


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
