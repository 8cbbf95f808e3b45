"""The files of a data set of problems, and which of them are complete.

::

    files = ProblemFiles(folder, {"seed": 42}, ending=".parquet", force=False)
    files.add("train", 0, of=5, rows=rows, columns=columns, tasks=tasks)
    files.tasks("train", 0)    # the tasks of its rows; None if the file must be written
"""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rgenv.errors import BadUsage
from rgenv.export import formats
from rgenv.problem_sets.columns import Columns, Row
from rgenv.storage.atomic import write_atomic
from rgenv.storage.files import parse_json, read_chosen

NOTE = "rgenv.json"
"""The file in a data set that says what decides its content, and which files are complete."""

MOST_NOTE = 1 << 26
"""Bytes that are read of it: those of 500,000 files."""


class ProblemFiles:
    """The folder of a data set.

    Args:
        settings: what decides the content; JSON-able.
        ending: of the files.
        force: remove a data set of other settings.

    Raises:
        BadUsage: the folder has one, and `force` is false.
    """

    def __init__(
        self, folder: Path, settings: Mapping[str, Any], *, ending: str, force: bool
    ) -> None:
        self._folder, self._ending = folder, ending
        self._settings = json.loads(json.dumps(settings))
        self._complete: dict[str, dict[str, int]] = {}
        for torn in folder.glob("data/*.tmp"):  # of a command that was killed
            torn.unlink()
        note = self._read()
        if note.get("settings") == self._settings:
            self._complete = note["files"]
            return
        found = [path for path in folder.glob("data/*") if path.suffix in formats.ENDINGS]
        if (found or note) and not force:
            raise BadUsage(
                f"{folder} has a data set of other settings or of another version: add "
                "--force to replace it, or name another folder."
            )
        for path in found:
            path.unlink()
        self._write()

    def _read(self) -> dict[str, Any]:
        with contextlib.suppress(FileNotFoundError, ValueError):
            note = parse_json(read_chosen(self._folder / NOTE, at_most=MOST_NOTE))
            if isinstance(note, dict) and isinstance(note.get("files"), dict):
                return note
        return {}

    def _write(self) -> None:
        note = {"settings": self._settings, "files": self._complete}
        write_atomic(self._folder / NOTE, json.dumps(note).encode())

    def path(self, split: str, place: int, of: int) -> Path:
        """Return the path of a file, as hubs name the parts of a split."""
        return self._folder / "data" / f"{split}-{place:05}-of-{of:05}{self._ending}"

    def tasks(self, split: str, place: int, of: int) -> Counter[str] | None:
        """Return how many rows of each task a complete file has; None if it must be written."""
        path = self.path(split, place, of)
        counts = self._complete.get(path.name)
        return None if counts is None or not path.exists() else Counter(counts)

    def add(
        self,
        split: str,
        place: int,
        of: int,
        *,
        rows: Iterable[Row],
        columns: Columns,
        tasks: Counter[str],
    ) -> None:
        """Write a file, then note that it is complete."""
        path = self.path(split, place, of)
        with formats.sink(path, columns) as write:
            for row in rows:
                write(row)
        self._complete[path.name] = dict(tasks)
        self._write()
