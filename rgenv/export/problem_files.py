"""The files of a data set of problems, and which of them are complete."""

import contextlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rgenv.errors import BadUsage
from rgenv.export import formats
from rgenv.problem_sets.columns import Columns, Row
from rgenv.runtime.files import parse_json, write_atomic
from rgenv.runtime.json_lines import JsonLines, line_of, read_lines
from rgenv.types import read_count

CARD = "README.md"

NOTE = "rgenv.jsonl"
"""The file in a data set whose first line says what decides its content, and each other line which
file is complete."""

LOCK = "rgenv.lock"


class ProblemFiles:
    """The folder of a data set, which the caller has locked by `LOCK`.

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
        for torn in folder.glob(f"data/*-of-*{ending}.{'?' * 16}.tmp"):  # of a killed command
            torn.unlink()
        self._note = folder / NOTE
        wanted = json.loads(json.dumps(settings))
        written, *complete = list(self._read()) or [None]
        self._complete: dict[str, dict[str, int]] = {}
        if written == wanted:
            for row in complete:
                with contextlib.suppress(ValueError, TypeError, AttributeError):  # damaged
                    name, counts = row
                    rows = {task: read_count(number) for task, number in counts.items()}
                    self._complete[name] = rows
            return
        found = [path for path in folder.glob("data/*") if path.suffix in formats.ENDINGS]
        if (found or self._note.exists() or (folder / CARD).exists()) and not force:
            raise BadUsage(
                f"{folder} has a {CARD} or a data set of other settings or of another version: add "
                "--force to replace it, or name another folder."
            )
        for path in found:
            path.unlink()
        write_atomic(self._note, line_of(wanted))

    def _read(self) -> Iterator[Any]:
        """Yield the values of the note, but for a line that was torn by a kill."""
        with contextlib.suppress(FileNotFoundError):
            for line in read_lines(self._note):
                with contextlib.suppress(ValueError):
                    yield parse_json(line)

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
        with contextlib.closing(JsonLines(self._note)) as note:
            note.append([path.name, self._complete[path.name]])
