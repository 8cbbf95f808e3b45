"""Groups on disk: one JSON object a line, a file a batch.

::

    dump = RolloutDump(folder, run_id="1f3a", batch_size=100)
    dump.add(group_row("chain_sum", conversations, scores, metadata={"seed": 7}))
    dump.close()

leaves ``reasoning_gym_environment_rollouts_1f3a_0000.jsonl``. A row is on disk when `add`
returns: the batch in progress is a ``.partial`` file, renamed when it is full or on close.

Which groups are worth keeping is not decided here.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

log = logging.getLogger(__name__)

SCHEMA = 1
"""Of the `metadata` key of a row; `item_id` and `rollouts` are for ever."""

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


class RolloutDump:
    """Appends rows to numbered batch files of one run; one instance owns its files alone."""

    def __init__(
        self, folder: Path, *, run_id: str, batch_size: int, label: str = "rollouts"
    ) -> None:
        self._folder = folder
        self._prefix = f"reasoning_gym_environment_{label}_{run_id}"
        self._batch_size = batch_size
        self._label = label
        self._file: TextIO | None = None
        self._in_batch = 0
        self._batch = 0
        self.unwritten = 0
        self.paths: list[Path] = []

    @property
    def _partial(self) -> Path:
        return self._folder / f"{self._prefix}_{self._batch:04d}.jsonl.partial"

    def add(self, row: Row) -> bool:
        """Write one row; False when the disk refuses, which is logged and counted, not raised."""
        line = json.dumps(row, ensure_ascii=True, allow_nan=False) + "\n"
        try:
            self._append(line)
        except OSError as error:
            self.unwritten += 1
            log.error(
                "A %s group could not be written to %s (%s); %d lost so far. "
                "Free the disk or choose another folder with --env.data_dumps_dir.",
                self._label, self._folder, error, self.unwritten,
            )  # fmt: skip
            return False
        self._in_batch += 1
        log.info("%s: %d/%d groups in batch %d",
                 self._label, self._in_batch, self._batch_size, self._batch)  # fmt: skip
        if self._in_batch >= self._batch_size:
            self.close()
        return True

    def _append(self, line: str) -> None:
        if self._file is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file = self._partial.open("x", encoding="utf-8")
        self._file.write(line)
        self._file.flush()

    def close(self) -> None:
        """Give the batch in progress its final name; idempotent, and `add` may follow."""
        if self._file is None:
            return
        partial, final = self._partial, self._partial.with_suffix("")
        try:
            os.fsync(self._file.fileno())
            self._file.close()
            partial.rename(final)
            self.paths.append(final)
            log.info("%s: saved %d groups to %s", self._label, self._in_batch, final)
        except OSError as error:
            log.error("%s stays under its working name (%s).", partial, error)
        self._file, self._in_batch, self._batch = None, 0, self._batch + 1
