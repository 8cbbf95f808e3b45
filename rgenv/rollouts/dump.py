"""Write groups to disk: JSON lines, one group a line, a fixed number of groups a file, such as
``reasoning_gym_environment_rollouts_1f3a_0000.jsonl``.

Once `add` returns True, the group survives kill -9. While the disk refuses, up to one batch of
groups waits in memory.
"""

import contextlib
import logging
import re
import time
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from rgenv.runtime.files import make_folder
from rgenv.runtime.json_lines import JsonLines, line_of

log = logging.getLogger(__name__)

SCHEMA = 1
"""Version of a row's `metadata`; the keys `item_id` and `rollouts` never change."""

NAME = "reasoning_gym_environment"
FILES = f"{NAME}_*rollouts_*.jsonl"
"""Pattern that matches every file that a dump writes."""

RETRY_SECONDS = 1.0
"""The least pause between two attempts to write to a disk that refuses."""

Row = dict[str, Any]


def group_row(
    task: str,
    conversations: Sequence[Sequence[Mapping[str, str]]],
    scores: Sequence[float],
    *,
    metadata: Mapping[str, Any],
) -> Row:
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
        batch_size: the number of groups in a file, and of those that may wait in memory.

    Attributes:
        lost: groups that were dropped because the disk refused, or may not be on it.
    """

    def __init__(
        self,
        folder: Path,
        *,
        run_id: str,
        batch_size: int,
        label: str = "rollouts",
    ) -> None:
        self._folder = folder
        self.run_id = run_id
        self._label = label
        self._batch_size = batch_size
        self._file: JsonLines | None = None
        self._in_batch = 0
        self._waiting: deque[bytes] = deque()
        self._failing = False
        self._retry_at = 0.0
        self.lost = 0

    @property
    def held(self) -> int:
        """The number of groups that wait in memory for the disk."""
        return len(self._waiting)

    @property
    def _prefix(self) -> str:
        return f"{NAME}_{self._label}_{self.run_id}"

    def add(self, row: Row) -> bool:
        """Write one row, and return whether it and all rows before it are written.

        A disk that refuses is logged and counted, not raised.
        """
        line = line_of(row)
        if len(self._waiting) < self._batch_size:
            self._waiting.append(line)
        else:
            self._drop_row()
        if not self._failing or time.monotonic() >= self._retry_at:
            self._write_waiting()
        return not self._waiting

    def close(self) -> None:
        """Write waiting rows and finish the batch; idempotent. `add` starts a new batch."""
        self._write_waiting()
        try:
            self._finish_batch()
        except OSError as error:
            log.error("%s groups may not be on disk (%s).", self._label, error)
        self.lost += len(self._waiting)
        self._waiting.clear()
        if self.lost:
            log.error("%d %s groups could not be saved.", self.lost, self._label)

    def _drop_row(self) -> None:
        self.lost += 1
        if self.lost == 1:
            log.error(
                "%d %s groups wait for the disk already; further groups are lost.",
                len(self._waiting),
                self._label,
            )

    def _write_waiting(self) -> None:
        try:
            while True:
                if self._in_batch >= self._batch_size:
                    self._finish_batch()
                if not self._waiting:
                    break
                self._append(self._waiting[0])
                self._waiting.popleft()
        except OSError as error:
            self._start_waiting(error)
        else:
            if self._failing:
                log.info("%s: %s is writable again.", self._label, self._folder)
            self._failing = False

    def _start_waiting(self, error: OSError) -> None:
        """Set the time of the next attempt, and log the first of several failures."""
        self._retry_at = time.monotonic() + RETRY_SECONDS
        if not self._failing:
            log.error(
                "%s groups cannot be written to %s (%s). Up to %d wait in memory: free disk space "
                "or make the folder writable. Training continues.",
                self._label,
                self._folder,
                error,
                self._batch_size,
            )
        self._failing = True

    def _append(self, line: bytes) -> None:
        if self._file is not None and self._file.is_gone:  # somebody has taken its groups
            self._file.close()
            self._file, self._in_batch = None, 0
        if self._file is None:
            self._file = self._new_file()
        self._file.write(line)
        self._in_batch += 1
        log.debug(
            "%s: %d/%d groups in %s",
            self._label,
            self._in_batch,
            self._batch_size,
            self._file.path.name,
        )

    def _new_file(self) -> JsonLines:
        """Create the next file of the run; another dump may take numbers meanwhile."""
        make_folder(self._folder)
        for number in count(self._next_number()):
            with contextlib.suppress(FileExistsError):
                return JsonLines(self._folder / f"{self._prefix}_{number:04d}.jsonl", new=True)
        raise AssertionError("unreachable: count() does not end")

    def _next_number(self) -> int:
        name = re.compile(re.escape(self._prefix) + r"_([0-9]{1,9})\.jsonl")
        numbers = [int(m[1]) for p in self._folder.iterdir() if (m := name.fullmatch(p.name))]
        return max(numbers, default=-1) + 1

    def _finish_batch(self) -> None:
        if self._file is None:
            return
        file, groups = self._file, self._in_batch
        self._file, self._in_batch = None, 0
        try:
            file.sync()
        except OSError:
            self.lost += groups
            raise
        finally:
            file.close()
        log.info("%s: saved %d groups to %s", self._label, groups, file.path)
