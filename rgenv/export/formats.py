"""Rows of an export, and their files.

A row is plain JSON whose columns have the same type in each row, as `datasets` demands. Nothing in
it is executed or interpreted: texts of models are texts, and JSON lines are ASCII, so no character
of theirs ends a line.
"""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from rgenv.errors import require_extra
from rgenv.export.choice import Offer
from rgenv.export.completions import Usable, unicode_only
from rgenv.problem_sets.columns import MESSAGES, Columns, Row
from rgenv.runtime.files import replacing
from rgenv.runtime.saved_lines import SavedGroup
from rgenv.text import level_name

_ORIGIN = dict.fromkeys(("task", "level", "recipe", "group"), "string")

COMPLETIONS: Columns = {"messages": MESSAGES, "score": "float64", "index": "int64", **_ORIGIN}

PAIRS: Columns = {
    **dict.fromkeys(("prompt", "chosen", "rejected"), MESSAGES),
    **dict.fromkeys(("score_chosen", "score_rejected"), "float64"),
    **dict.fromkeys(("index_chosen", "index_rejected"), "int64"),
    **_ORIGIN,
}

JSON_LINES, PARQUET = ".jsonl", ".parquet"
ENDINGS = (JSON_LINES, PARQUET)

ROWS_AT_ONCE = 500
"""Rows in memory, and in each row group of a parquet file."""


def row(group: SavedGroup, found: Usable, offer: Offer) -> Row:
    completions = {completion.index: completion for completion in found.completions}
    better = completions[offer.better]
    if offer.worse < 0:
        content: Row = {
            "messages": [*found.prompt, _answer(better.text)],
            "score": better.score,
            "index": better.index,
        }
    else:
        worse = completions[offer.worse]
        content = {
            "prompt": found.prompt,
            "chosen": [_answer(better.text)],
            "rejected": [_answer(worse.text)],
            "score_chosen": better.score,
            "score_rejected": worse.score,
            "index_chosen": better.index,
            "index_rejected": worse.index,
        }
    return content | {
        "task": unicode_only(group.task),
        "level": level_name(group.level),
        "recipe": json.dumps({"level": group.level, **group.recipe}),
        "group": unicode_only(group.group),
    }


def _answer(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def require_format(path: Path) -> None:
    """Check that the libraries for a file are installed.

    Raises:
        MissingExtra: they are not.
    """
    if path.suffix == PARQUET:
        require_extra("parquet", ["datasets", "pyarrow"], "A parquet file")


@contextlib.contextmanager
def sink(path: Path, columns: Columns) -> Iterator[Callable[[Row], None]]:
    """Write rows to a file, which replaces the one at `path` when the block ends without an error.

    Raises:
        OSError: the disk refuses; the file at `path` is unchanged.
    """
    with replacing(path) as file:
        if path.suffix == PARQUET:
            with _table(file, columns) as write:
                yield write
        else:

            def write_line(row: Row) -> None:
                file.write(json.dumps(row).encode() + b"\n")

            yield write_line


@contextlib.contextmanager
def _table(file: BinaryIO, columns: Columns) -> Iterator[Callable[[Row], None]]:
    """Write rows as parquet, which `datasets` reads with the columns of the JSON lines."""
    # Imported late: they need the extra `parquet`.
    import datasets
    import pyarrow
    from pyarrow import parquet

    def feature(kind: Any) -> Any:
        if isinstance(kind, str):
            return datasets.Value(kind)
        if isinstance(kind, list):
            return [feature(part) for part in kind]
        return {name: feature(part) for name, part in kind.items()}

    schema = datasets.Features(feature(columns)).arrow_schema
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
        flush()
