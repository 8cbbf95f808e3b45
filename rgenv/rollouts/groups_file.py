"""The file into which `process` writes its groups, one a line."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import jsonlines

from rgenv.storage.atomic import naming


class GroupsFile(jsonlines.Writer):
    """Writes each group to the file at once, so that kill -9 loses none that was written.

    Args:
        path: replaced if it exists.

    Raises:
        OSError: the disk refuses; the error names the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._text = path.open("w", encoding="utf-8")
        super().__init__(self._text, flush=True)

    def write(self, obj: Any) -> int:
        """Append a group; raises OSError if the disk refuses."""
        with naming(self._path):
            return super().write(obj)

    def close(self) -> None:
        """Close the file; idempotent."""
        super().close()
        with contextlib.suppress(OSError):  # `write` has reported it
            self._text.close()
