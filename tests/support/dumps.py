"""Files that RolloutDump writes, and a disk that takes no byte."""

import errno
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest


def group_row(
    task: str,
    conversations: Sequence[Sequence[dict[str, Any]]],
    scores: Sequence[float],
    *,
    metadata: dict[str, Any],
) -> dict[str, Any]:
    """Return a row as `saved_row` makes it of a group, with metadata of one's own."""
    pairs = zip(conversations, scores, strict=True)
    rollouts = [{"conversation": list(map(dict, talk)), "score": one} for talk, one in pairs]
    return {"item_id": task, "rollouts": rollouts, "metadata": {"schema": 1, **metadata}}


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def dump_rows(folder: Path, label: str = "rollouts") -> list[dict[str, Any]]:
    """Return the rows of all finished files with a label, in the order of the file names."""
    paths = sorted(folder.glob(f"reasoning_gym_environment_{label}_*.jsonl"))
    return [row for path in paths for row in rows(path)]


class Disk:
    """The disk below all files; while `full` is True, every write fails."""

    def __init__(self, patch: pytest.MonkeyPatch, *, full: bool = False) -> None:
        self.full = full
        self._write = os.write
        patch.setattr("rgenv.runtime.json_lines.os.write", self.write)

    def write(self, file: int, content: memoryview) -> int:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._write(file, content)
