"""Samples and sets of them."""

from types import SimpleNamespace
from typing import Any


class Sample(SimpleNamespace):
    """One question."""


class MemoryDataset(list[Any]):
    """Samples."""

    def __init__(self, samples: list[Any], name: str) -> None:
        super().__init__(samples)
        self.name = name
