"""A disk that takes no byte."""

import errno
import os

import pytest


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
