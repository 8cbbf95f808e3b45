"""rgenv/export/parquet.py: parquet files."""

from pathlib import Path

from pyarrow import parquet

from rgenv.export.parquet import BEST, PAIRS, ROWS_AT_ONCE, table
from tests.support.exported import exported, problem
from tests.support.viewed import DUMP, write_lines


async def test_rows_are_written_some_at_a_time(tmp_path: Path) -> None:
    """More rows than fit in memory at once are several row groups."""
    write_lines(tmp_path / DUMP, problem("a"))
    [row], _ = await exported(tmp_path)
    path = tmp_path / "best.parquet"
    with path.open("wb") as file, table(file, pairs=False) as write:
        for _ in range(ROWS_AT_ONCE + 1):
            write(row)
    found = parquet.ParquetFile(path)
    assert found.metadata.num_row_groups == 2 and found.metadata.num_rows == ROWS_AT_ONCE + 1


async def test_the_columns_are_those_of_the_rows(tmp_path: Path) -> None:
    """No column of a row is missing in its file."""
    write_lines(tmp_path / DUMP, problem("a"))
    for pairs, columns in ((False, BEST), (True, PAIRS)):
        [row], _ = await exported(tmp_path, pairs=pairs)
        assert columns.keys() == row.keys()
