"""A disk that takes no byte."""

import os

import pytest


def fill(patch: pytest.MonkeyPatch) -> None:
    """Make every file of JSON lines that is opened from now on one that takes no byte."""
    for name in ("create_file", "open_file"):
        patch.setattr(
            f"rgenv.storage.json_lines.{name}", lambda *_, **__: os.open("/dev/full", os.O_RDWR)
        )
