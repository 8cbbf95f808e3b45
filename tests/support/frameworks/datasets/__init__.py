"""What the adapter to TRL imports of datasets: rows, listed or made when they are asked for."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any


class Dataset(list[Any]):
    """Rows."""

    @classmethod
    def from_list(cls, rows: list[Any]) -> Dataset:
        return cls(rows)


class IterableDataset:
    """Rows without end."""

    def __init__(self, generator: Callable[[], Iterator[Any]]) -> None:
        self._generator = generator

    @classmethod
    def from_generator(cls, generator: Callable[[], Iterator[Any]]) -> IterableDataset:
        pickle.dumps(generator)  # to name the data set
        return cls(generator)

    def __iter__(self) -> Iterator[Any]:
        return self._generator()
