"""MetricsFile: the metrics of a run as JSON lines, one object for each report.

A line is there as a whole or not at all, and survives kill -9. A run that goes on appends to its
file, and so do other runs in the same folder.
"""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Callable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any

from rgenv.storage.files import make_folder
from rgenv.storage.json_lines import JsonLines
from rgenv.text import refusal

log = logging.getLogger(__name__)

NAME = "metrics.jsonl"

DIGITS = 6
"""Significant digits of a number; more would double the size of the file. The time has all."""


class MetricsFile:
    """Appends objects to a file that is created with the first one, in a folder that may change."""

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
        path = Path(NAME)
        try:
            path = self._folder() / NAME
            make_folder(path.parent)
            with contextlib.closing(JsonLines(path, shared=True)) as file:
                file.append(values)
        except OSError as error:
            if not self._failing:
                name = path if path.name != str(path) else error.filename  # of the folder
                log.error("Metrics can't be written to %s (%s).", name, refusal(error))
            self._failing = True
            return
        if path != self._path or self._failing:
            log.info("Metrics are written to %s.", path)
        self._path, self._failing = path, False


def _belongs(value: Any) -> bool:
    """Return whether a value is a text or a finite number; tables and pictures are neither."""
    return isinstance(value, str) or (isinstance(value, Real) and math.isfinite(value))


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value
    number = float(f"{float(value):.{DIGITS}g}")
    return int(value) if float(value).is_integer() else number
