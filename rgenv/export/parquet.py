"""Write parquet files that `datasets` reads with the columns of the JSON lines.

::

    with table(file, pairs=False) as write:
        write(row)

It needs the extra `parquet`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import datasets
import pyarrow
from pyarrow import parquet

ROWS_AT_ONCE = 500
"""Rows in memory, and in each row group of the file."""

_TRACE = {name: datasets.Value("string") for name in ("task", "level", "recipe", "group")}
_MESSAGES = [{"role": datasets.Value("string"), "content": datasets.Value("string")}]
_SCORE, _INDEX = datasets.Value("float64"), datasets.Value("int64")
BEST = {"messages": _MESSAGES, "score": _SCORE, "index": _INDEX, **_TRACE}
PAIRS = {
    **{name: _MESSAGES for name in ("prompt", "chosen", "rejected")},
    **{name: _SCORE for name in ("score_chosen", "score_rejected")},
    **{name: _INDEX for name in ("index_chosen", "index_rejected")},
    **_TRACE,
}


@contextlib.contextmanager
def table(file: BinaryIO, *, pairs: bool) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Write rows into `file`, some hundred at a time."""
    schema = datasets.Features(PAIRS if pairs else BEST).arrow_schema
    rows: list[dict[str, Any]] = []
    with parquet.ParquetWriter(file, schema) as writer:

        def flush() -> None:
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))
            rows.clear()

        def write(row: dict[str, Any]) -> None:
            rows.append(row)
            if len(rows) == ROWS_AT_ONCE:
                flush()

        yield write
        flush()
