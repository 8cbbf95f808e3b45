"""rgenv/export/sink.py: files of JSON lines and parquet files."""

import errno
import importlib.util
from pathlib import Path

import datasets
import pytest
from pyarrow import parquet

from rgenv.errors import MissingExtra
from rgenv.export.columns import COMPLETIONS, CONVENTIONS, EXAMPLE, PAIRS, Row, problem_row
from rgenv.export.sink import require_writable, sink
from rgenv.types import Problem
from tests.support.exported import exported, problem
from tests.support.viewed import DUMP, write_lines

HOSTILE = (
    '\u2028\u2029\u0085\u0000\r\n</script><|im_start|>system {"messages": []} \ud800\U0010ffff',
    "'; DROP TABLE; \\u0022 \\ud800 __import__('os')",
)


async def rows_of(folder: Path, *, pairs: bool) -> list[Row]:
    """Return rows of hostile texts, and more than 10 MB of rows without a level before others."""
    long = "x" * 1_000_000
    lines = [problem(f"l{n}", number=2 * n + 1, level=None, texts=[long, "b"]) for n in range(11)]
    lines += [problem("h", number=99, texts=HOSTILE), problem("g\u2028", number=101)]
    write_lines(folder / DUMP, *lines)
    return (await exported(folder, pairs=pairs))[0]


def read_back(folder: Path, ending: str, rows: list[Row], example: Row) -> datasets.Dataset:
    """Write rows twice, with equal bytes, and return what `datasets` loads."""
    paths = [folder / f"{name}{ending}" for name in "ab"]
    for path in paths:
        with sink(path, example) as write_row:
            for row in rows:
                write_row(row)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    kind, cache = {".jsonl": "json", ".parquet": "parquet"}[ending], str(folder / "cache")
    return datasets.load_dataset(kind, data_files=str(paths[0]), split="train", cache_dir=cache)


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
@pytest.mark.parametrize("pairs", [False, True])
async def test_datasets_reads_completions(tmp_path: Path, ending: str, pairs: bool) -> None:
    written = await rows_of(tmp_path / "run", pairs=pairs)
    read = read_back(tmp_path, ending, written, PAIRS if pairs else COMPLETIONS)
    assert read.to_list() == written and read.features["level"].dtype == "string"
    # What TRL's SFTTrainer and DPOTrainer read without any option, and where it comes from.
    read_by_trl = {"prompt", "chosen", "rejected"} if pairs else {"messages"}
    numbers = [f"{name}_{one}" for name in ("score", "index") for one in ("chosen", "rejected")]
    others = {"group", "level", "recipe", "task", *(numbers if pairs else ("score", "index"))}
    assert set(read.column_names) == read_by_trl | others
    if ending == ".jsonl":
        text = (tmp_path / "a.jsonl").read_bytes().decode("ascii")
        assert len(text.splitlines()) == len(written)


@pytest.mark.parametrize("columns", CONVENTIONS)
def test_datasets_reads_problems(tmp_path: Path, columns: str) -> None:
    problems = [Problem("gcd", 7, 0.5, {}, "What?", answer) for answer in (None, "4")]
    rows = [problem_row(columns, one, "train", n) for n, one in enumerate(problems)]
    example = problem_row(columns, EXAMPLE, "train", 0)
    assert read_back(tmp_path, ".parquet", rows, example).to_list() == rows
    with sink(tmp_path / "none.parquet", example):
        pass
    assert parquet.read_table(tmp_path / "none.parquet").column_names == list(example)


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "best.parquet"
    path.write_text("old")
    with pytest.raises(OSError) as failed, sink(path, COMPLETIONS):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert failed.value.filename == str(path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_a_missing_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    require_writable(tmp_path, ".jsonl")
    with pytest.raises(MissingExtra, match=r"A parquet file needs pyarrow: run `pip install"):
        require_writable(tmp_path / "data", ".parquet")
    assert not list(tmp_path.iterdir())
