"""Groups on disk: one JSON object a line, a file a batch.

::

    dump = RolloutDump(folder, Journal, run_id="1f3a", batch_size=100)
    dump.add(group_row("chain_sum", conversations, scores, metadata={"seed": 7}))
    dump.close()

leaves ``reasoning_gym_environment_rollouts_1f3a_0000.jsonl``. A group is safe when `add` returns
True: not even kill -9 loses it. While the disk refuses, up to one batch of groups is held in memory
and written when it no longer does. What a killed process left, journal.py completes.

Which groups are worth keeping is not decided here, nor how a file survives (journal.py).
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Protocol

log = logging.getLogger(__name__)

SCHEMA = 1
"""Of the `metadata` key of a row; `item_id` and `rollouts` are for ever."""

NAME = "reasoning_gym_environment"
FILES = f"{NAME}_*rollouts_*.jsonl"
"""Pattern of all files that dumps write."""

RETRY_SECONDS = 1.0
"""A disk that refuses is asked again after this long at the earliest."""

Row = dict[str, Any]


def group_row(
    task: str,
    conversations: Sequence[Sequence[Mapping[str, str]]],
    scores: Sequence[float],
    *,
    metadata: Mapping[str, Any],
) -> Row:
    """One group as it is written: each conversation beside its own score.

    Raises:
        ValueError: conversations and scores differ in number.
    """
    return {
        "item_id": task,
        "rollouts": [
            {"conversation": [dict(message) for message in conversation], "score": float(score)}
            for conversation, score in zip(conversations, scores, strict=True)
        ],
        "metadata": {"schema": SCHEMA, **metadata},
    }


class Lines(Protocol):
    """A file of lines, as journal.py has them."""

    final: Path
    path: Path

    @property
    def lost(self) -> bool: ...
    def append(self, lines: bytes, *, sync: bool = False) -> None: ...
    def rewrite(self) -> None: ...
    def finish(self) -> None: ...
    def leave(self) -> None: ...


class RolloutDump:
    """Appends rows to numbered batch files of one run; one instance owns its files alone.

    Args:
        folder: made when it is missing, whenever that is.
        new_file: makes the file of a batch, or raises FileExistsError when its name is taken.
        run_id: part of every file name; numbering goes on after files that have it already.
        batch_size: groups a file, and how many are held while the disk refuses.
        sync_each: fsync every group, not only every full batch.
    """

    def __init__(
        self,
        folder: Path,
        new_file: Callable[[Path], Lines],
        *,
        run_id: str,
        batch_size: int,
        label: str = "rollouts",
        sync_each: bool = False,
    ) -> None:
        self._folder = folder
        self._new_file = new_file
        self.run_id = run_id
        self._label = label
        self._batch_size = batch_size
        self._sync_each = sync_each
        self._journal: Lines | None = None
        self._in_batch = 0
        self._held: deque[bytes] = deque()
        self._failing = False
        self._retry_at = 0.0
        self.written = 0
        self.lost = 0
        self.paths: list[Path] = []

    @property
    def held(self) -> int:
        """Groups that wait for the disk."""
        return len(self._held)

    @property
    def _prefix(self) -> str:
        return f"{NAME}_{self._label}_{self.run_id}"

    def add(self, row: Row) -> bool:
        """Write one row; False while the disk refuses, which is logged and counted, not raised.

        Raises:
            ValueError: the row holds a number that is none.
        """
        line = json.dumps(row, ensure_ascii=True, allow_nan=False) + "\n"
        if len(self._held) >= self._batch_size:
            self.lost += 1
            if self.lost == 1:
                log.error(
                    "%d %s groups wait for the disk already: from now on they are lost.",
                    len(self._held),
                    self._label,
                )
        else:
            self._held.append(line.encode())
        if not self._failing or time.monotonic() >= self._retry_at:
            self._write_held()
        return not self._held

    def _write_held(self) -> None:
        try:
            while True:
                if self._in_batch >= self._batch_size:
                    self._finish()
                if not self._held:
                    break
                self._append(self._held[0])
                self._held.popleft()
        except OSError as error:
            self._complain(error)
        else:
            if self._failing:
                log.info("%s: %s can be written to again.", self._label, self._folder)
            self._failing = False

    def _complain(self, error: OSError) -> None:
        self._retry_at = time.monotonic() + RETRY_SECONDS
        if not self._failing:
            log.error(
                "%s groups can't be written to %s (%s). Up to %d wait in memory: free the disk, or "
                "make the folder writable. Training goes on.",
                self._label,
                self._folder,
                error,
                self._batch_size,
            )
        self._failing = True

    def _append(self, line: bytes) -> None:
        journal = self._journal = self._journal or self._new_journal()
        self._mend(journal)
        journal.append(line, sync=self._sync_each)
        self._in_batch += 1
        self.written += 1
        log.info(
            "%s: %d/%d groups in %s",
            self._label,
            self._in_batch,
            self._batch_size,
            journal.final.name,
        )

    def _new_journal(self) -> Lines:
        self._folder.mkdir(parents=True, exist_ok=True)
        for number in count(self._next_number()):
            try:
                return self._new_file(self._folder / f"{self._prefix}_{number:04d}.jsonl")
            except FileExistsError:
                continue
        raise AssertionError("numbers do not end")

    def _next_number(self) -> int:
        name = re.compile(re.escape(self._prefix) + r"_(\d+)\.jsonl(\.\w+)*")
        numbers = [int(m[1]) for p in self._folder.iterdir() if (m := name.fullmatch(p.name))]
        return max(numbers, default=-1) + 1

    def _mend(self, journal: Lines) -> None:
        """Write the batch again when its file was deleted, or may not be what we think."""
        if journal.lost:
            self._folder.mkdir(parents=True, exist_ok=True)
            journal.rewrite()
            log.error(
                "%s was deleted or damaged while it was written; its %d groups are there again.",
                journal.path,
                self._in_batch,
            )

    def _finish(self) -> None:
        journal = self._journal
        if journal is None:
            return
        self._mend(journal)
        journal.finish()
        self.paths.append(journal.final)
        log.info("%s: saved %d groups to %s", self._label, self._in_batch, journal.final)
        self._journal, self._in_batch = None, 0

    def close(self) -> None:
        """Write what waits and give the batch its final name; idempotent, and `add` may follow."""
        self._write_held()
        try:
            self._finish()
        except OSError as error:
            journal, self._journal, self._in_batch = self._journal, None, 0
            assert journal is not None
            journal.leave()
            log.error(
                "%s stays under its working name (%s); the next start in this folder finishes it.",
                journal.path,
                error,
            )
        if lost := self.lost + len(self._held):
            log.error("%d %s groups could not be saved.", lost, self._label)
        self.lost += len(self._held)
        self._held.clear()
