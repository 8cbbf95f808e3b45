"""Write groups to disk: the dumps of `serve` and `process`, and the file of `process`.

A dump is JSON lines, one group a line, a fixed number of groups a file, such as
``reasoning_gym_environment_rollouts_1f3a_0000.jsonl``. Once `add` returns True, the group survives
kill -9. While the disk refuses, up to one batch of groups waits in memory.
"""

import contextlib
import itertools
import logging
import re
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from rgenv.rollouts.group import group_id
from rgenv.runtime.files import make_folder
from rgenv.runtime.json_lines import JsonLines, line_of
from rgenv.types import SOLVED, Group

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


def _first_new(paths: Iterable[Path]) -> JsonLines:
    """Create the first of these files that does not exist; other processes create some, too."""
    for path in paths:
        with contextlib.suppress(FileExistsError):
            return JsonLines(path, new=True)
    raise AssertionError("unreachable: there are names without end")


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
        self, folder: Path, *, run_id: str, batch_size: int, label: str = "rollouts"
    ) -> None:
        self.run_id = run_id
        self.lost = 0
        self._folder = folder
        self._label = label
        self._batch_size = batch_size
        self._file: JsonLines | None = None
        self._in_file = 0
        self._waiting: deque[bytes] = deque()
        self._retry_at = 0.0  # 0 while the disk takes what is written

    @property
    def held(self) -> int:
        """The number of groups that wait for the disk."""
        return len(self._waiting)

    def add(self, row: Row) -> bool:
        """Write one row, and return whether it and all rows before it are written.

        A disk that refuses is logged and counted, not raised.
        """
        if self.held < self._batch_size:
            self._waiting.append(line_of(row))
        else:
            self.lost += 1
            if self.lost == 1:
                log.error(
                    "%d %s groups wait for the disk already; further groups are lost.",
                    *(self.held, self._label),
                )
        if time.monotonic() >= self._retry_at:
            self._write_waiting()
        return not self._waiting

    def close(self) -> None:
        """Write waiting rows and finish the file; idempotent. `add` starts a new file."""
        self._write_waiting()
        self._finish_file()
        self.lost += self.held
        self._waiting.clear()
        if self.lost:
            log.error("%d %s groups could not be saved.", self.lost, self._label)

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
                    "%s groups cannot be written to %s (%s). Up to %d wait in memory: free disk "
                    "space or make the folder writable. Training continues.",
                    *(self._label, self._folder, error, self._batch_size),
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
            make_folder(self._folder)
            prefix = f"{NAME}_{self._label}_{self.run_id}"
            name = re.compile(re.escape(prefix) + r"_([0-9]{1,9})\.jsonl")
            numbers = [int(m[1]) for p in self._folder.iterdir() if (m := name.fullmatch(p.name))]
            first = max(numbers, default=-1) + 1
            self._file = _first_new(
                self._folder / f"{prefix}_{number:04d}.jsonl" for number in itertools.count(first)
            )
            self._in_file = 0
        self._file.write(line)
        self._in_file += 1
        log.debug("%s: %d groups in %s", self._label, self._in_file, self._file.path.name)

    def _finish_file(self) -> None:
        if self._file is None:
            return
        file, self._file = self._file, None
        try:
            file.sync()
            log.info("%s: saved %d groups to %s", self._label, self._in_file, file.path)
        except OSError as error:
            self.lost += self._in_file
            log.error("%s groups may not be on disk (%s).", self._label, error)
        finally:
            file.close()


class GroupsFile:
    """The file of `process`: each group at once, so that kill -9 loses none that was written.

    Args:
        wanted: the file that the user named. If anything has this name, `path` has a number, as
            Atropos has it. Missing folders are created. If no group comes, the file goes
            again.
    """

    def __init__(self, wanted: Path) -> None:
        make_folder(wanted.parent)
        numbered = (wanted.with_stem(f"{wanted.stem}_{n}") for n in itertools.count(1))
        self._file = _first_new(itertools.chain([wanted], numbered))
        self.path = self._file.path
        if self.path != wanted:
            log.warning("%s exists and stays as it is; these groups go to %s.", wanted, self.path)
        self._began = time.monotonic()
        self._expected: dict[str, float] = {}
        self._rewards: list[float] = []
        self._accuracies: list[float] = []

    def expect(self, group: Group) -> None:
        """Remember the accuracy of a group until it is written."""
        self._expected[group.group_id] = fmean(score >= SOLVED for score in group.scores)

    def write(self, obj: Any) -> None:
        """Append a group, as Atropos asks; raises OSError if the disk refuses."""
        self._file.append(obj)
        self._rewards.append(fmean(obj["scores"]))
        if (name := group_id(obj)) in self._expected:
            self._accuracies.append(self._expected.pop(name))

    def summary(self) -> str:
        """Return the number of groups, where they are, their means and the time, in a line."""
        if not self._rewards:
            return "no group"
        line = f"{len(self._rewards)} groups in {self.path}: mean reward {fmean(self._rewards):.3f}"
        if self._accuracies:
            line += f", accuracy {fmean(self._accuracies):.3f}"
        return f"{line}, {time.monotonic() - self._began:.0f} s"

    def close(self) -> None:
        """Close the file; idempotent."""
        if not self._rewards and not self._file.is_gone:
            self.path.unlink()
        self._file.close()
