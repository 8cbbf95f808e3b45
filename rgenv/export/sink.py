"""Write rows to a file of JSON lines or a parquet file, where a file can be written.

JSON lines are ASCII, so no character of a model's text ends a line. Parquet files have the columns
and types of the JSON lines.
"""

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from rgenv.errors import BadUsage, require_extra
from rgenv.export.columns import Row
from rgenv.runtime.files import replacing
from rgenv.text import refusal

PARQUET = ".parquet"
ENDINGS = (".jsonl", PARQUET)

ROWS_AT_ONCE = 500
"""Rows in memory, and in each row group of a parquet file."""


def require_writable(folder: Path, ending: str) -> None:
    """Check that files with this ending can be written in a folder, which need not exist.

    Raises:
        BadUsage: the system takes no file there.
        MissingExtra: a library is not installed.
    """
    if ending == PARQUET:
        require_extra("parquet", ["pyarrow"], "A parquet file")
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        raise BadUsage(
            f"{folder} takes no files ({refusal(error)}): name a folder that you may write to."
        ) from None


@contextlib.contextmanager
def sink(path: Path, example: Row) -> Iterator[Callable[[Row], None]]:
    """Write rows to a file, which replaces the one at `path` when the block ends without an error.

    Args:
        example: a row with the types of all.

    Raises:
        OSError: the disk refuses; the file at `path` is unchanged.
    """
    with replacing(path) as file:
        if path.suffix == PARQUET:
            with _table(file, example) as write:
                yield write
        else:

            def write_line(row: Row) -> None:
                file.write(json.dumps(row).encode() + b"\n")

            yield write_line


@contextlib.contextmanager
def _table(file: BinaryIO, example: Row) -> Iterator[Callable[[Row], None]]:
    import pyarrow  # late: it needs the extra `parquet`
    from pyarrow import parquet

    schema = pyarrow.Table.from_pylist([example]).schema
    rows: list[Row] = []
    with parquet.ParquetWriter(file, schema) as writer:

        def flush() -> None:
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))
            rows.clear()

        def write(row: Row) -> None:
            rows.append(row)
            if len(rows) == ROWS_AT_ONCE:
                flush()

        yield write
        if rows:
            flush()


def count_rows(path: Path) -> int:
    """Return the number of rows of a file."""
    if path.suffix == PARQUET:
        from pyarrow import parquet

        return int(parquet.read_metadata(path).num_rows)
    with path.open("rb") as file:
        return sum(1 for _ in file)
