"""Disks that take no byte."""

import errno
import os

import pytest


def fill(patch: pytest.MonkeyPatch) -> None:
    """Make every file of JSON lines that is opened from now on one that takes no byte."""
    patch.setattr(
        "rgenv.runtime.json_lines.open_private", lambda *_: os.open("/dev/full", os.O_RDWR)
    )


class Disk:
    """The disk below all files; while `full` is True, every write fails."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.full = False
        self._write = os.write
        patch.setattr("rgenv.runtime.json_lines.os.write", self.write)

    def write(self, file: int, content: memoryview) -> int:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._write(file, content)
