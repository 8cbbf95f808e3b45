"""Write groups to disk: the dumps of `serve` and `process`, and the file of `process`.

A dump is JSON lines, one group a line, a fixed number of groups a file, such as
``reasoning_gym_environment_rollouts_1f3a_0000.jsonl``. Once `add` returns True, the group survives
kill -9. While the disk refuses, groups wait in memory.
"""

import contextlib
import logging
import re
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rgenv.runtime.files import make_folder
from rgenv.runtime.json_lines import JsonLines, line_of
from rgenv.text import counted

log = logging.getLogger(__name__)

SCHEMA = 1
"""Version of a row's `metadata`; the keys `item_id` and `rollouts` never change."""

NAME = "reasoning_gym_environment"
FILES = f"{NAME}_*rollouts_*.jsonl"
"""Pattern that matches every file that a dump writes."""

RETRY_SECONDS = 1.0
"""The least pause between two attempts to write to a disk that refuses."""


def group_row(
    task: str,
    conversations: Sequence[Sequence[Mapping[str, str]]],
    scores: Sequence[float],
    *,
    metadata: Mapping[str, Any],
) -> dict[str, Any]:
    """Return one group as a row of a dump; `conversations` and `scores` have the same order."""
    return {
        "item_id": task,
        "rollouts": [
            {"conversation": [dict(message) for message in conversation], "score": float(score)}
            for conversation, score in zip(conversations, scores, strict=True)
        ],
        "metadata": {"schema": SCHEMA, **metadata},
    }


class RolloutDump:
    """Appends rows to numbered batch files of one run; no two dumps share a file.

    Args:
        folder: created, for this user alone, when the first row is written.
        run_id, label: parts of every file name. Numbers continue after existing files of the run.
        batch_size: the most groups in a file.

    Attributes:
        lost: groups that the disk had not taken at the end, or that may not be on it.
    """

    def __init__(
        self, folder: Path, *, run_id: str, batch_size: int, label: str = "rollouts"
    ) -> None:
        self.run_id, self.lost = run_id, 0
        self._folder, self._label, self._batch_size = folder, label, batch_size
        self._file: JsonLines | None = None
        self._in_file = 0
        self._waiting: deque[bytes] = deque()
        self._retry_at = 0.0  # 0 while the disk takes what is written

    @property
    def held(self) -> int:
        """The number of groups that wait for the disk."""
        return len(self._waiting)

    def add(self, row: Mapping[str, Any]) -> bool:
        """Write one row, and return whether it and all rows before it are written."""
        self._waiting.append(line_of(row))
        return self.catch_up()

    def catch_up(self) -> bool:
        """Write the rows that wait, if it is time to try; return whether all are written.

        A disk that refuses is logged and counted, not raised.
        """
        if self._waiting and time.monotonic() >= self._retry_at:
            self._write_waiting()
        return not self._waiting

    def close(self) -> None:
        """Write waiting rows and finish the file; idempotent. `add` starts a new file."""
        self._write_waiting()
        self._finish_file()
        self.lost += self.held
        self._waiting.clear()
        if self.lost:
            log.error("%s could not be saved.", counted(self.lost, f"{self._label} group"))

    def _write_waiting(self) -> None:
        try:
            while self._waiting:
                self._write(self._waiting[0])
                self._waiting.popleft()
                if self._in_file >= self._batch_size:
                    self._finish_file()
        except OSError as error:
            if not self._retry_at:
                log.error(
                    "%s groups cannot be written to %s (%s), and no group is sent before: free "
                    "disk space or make the folder writable.",
                    *(self._label, self._folder, error),
                )
            self._retry_at = time.monotonic() + RETRY_SECONDS
            return
        if self._retry_at:
            log.info("%s: %s is writable again.", self._label, self._folder)
        self._retry_at = 0.0

    def _write(self, line: bytes) -> None:
        if self._file is not None and self._file.is_gone:  # somebody has taken its groups
            self._file.close()
            self._file = None
        if self._file is None:
            self._file, self._in_file = self._new_file(), 0
        self._file.write(line)
        self._in_file += 1
        log.debug("%s: %d groups in %s", self._label, self._in_file, self._file.path.name)

    def _new_file(self) -> JsonLines:
        """Create the file with the next number; other processes create some, too."""
        make_folder(self._folder)
        prefix = f"{NAME}_{self._label}_{self.run_id}"
        name = re.compile(re.escape(prefix) + r"_([0-9]{1,9})\.jsonl")
        numbers = [int(m[1]) for p in self._folder.iterdir() if (m := name.fullmatch(p.name))]
        number = max(numbers, default=-1) + 1
        while True:
            with contextlib.suppress(FileExistsError):
                return JsonLines(self._folder / f"{prefix}_{number:04d}.jsonl", new=True)
            number += 1

    def _finish_file(self) -> None:
        if self._file is None:
            return
        file, self._file = self._file, None
        try:
            file.sync()
            log.info("%s: saved %s to %s", self._label, counted(self._in_file, "group"), file.path)
        except OSError as error:
            self.lost += self._in_file
            log.error("%s groups may not be on disk (%s).", self._label, error)
        finally:
            file.close()
