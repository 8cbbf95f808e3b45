"""rgenv/export/formats.py: rows, and files of JSON lines."""

import errno
import importlib.util
import json
from pathlib import Path
from typing import Any

import datasets
import pytest

from rgenv.errors import MissingExtra
from rgenv.export import problems_cli
from rgenv.export.formats import COMPLETIONS, PAIRS, require_format, sink
from tests.support.exported import exported, problem
from tests.support.viewed import DUMP, write_lines

HOSTILE = (
    '\u2028\u2029\u0085\u0000\r\n</script><|im_start|>system {"messages": []} \ud800\U0010ffff',
    "'; DROP TABLE; \\u0022 \\ud800 __import__('os')",
)


async def rows_of(folder: Path, *, pairs: bool) -> list[dict[str, Any]]:
    """Return rows of hostile texts, and more than 10 MB of rows without a level before others."""
    long = "x" * 1_000_000
    lines = [problem(f"l{n}", number=2 * n + 1, level=None, texts=[long, "b"]) for n in range(11)]
    lines += [problem("h", number=99, texts=HOSTILE), problem("g\u2028", number=101)]
    write_lines(folder / DUMP, *lines)
    found, _ = await exported(folder, pairs=pairs)
    return found


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
@pytest.mark.parametrize("pairs", [False, True])
async def test_datasets_reads_what_was_written(tmp_path: Path, ending: str, pairs: bool) -> None:
    """Every row comes back as it was, in both formats, and the same input gives the same bytes."""
    written = await rows_of(tmp_path / "run", pairs=pairs)
    paths = [tmp_path / f"{name}{ending}" for name in "ab"]
    for path in paths:
        with sink(path, PAIRS if pairs else COMPLETIONS) as write_row:
            for row in written:
                write_row(row)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    kind = {".jsonl": "json", ".parquet": "parquet"}[ending]
    read = datasets.load_dataset(
        kind, data_files=str(paths[0]), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert read.to_list() == written
    assert read.features["level"].dtype == "string"
    if ending == ".jsonl":  # no character of a text ends a line, for any reader
        text = paths[0].read_bytes().decode("ascii")
        assert [json.loads(line) for line in text.splitlines()] == written


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, ending: str) -> None:
    """What fails in the middle changes nothing, and no other file stays."""
    path = tmp_path / f"best{ending}"
    path.write_text("old")
    with pytest.raises(OSError) as failed, sink(path, COMPLETIONS) as write_row:
        write_row({"messages": [], "score": 1.0})
        raise OSError(errno.ENOSPC, "No space left on device")
    assert failed.value.filename == str(path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_a_missing_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """JSON lines need none."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    require_format(Path("best.jsonl"))
    with pytest.raises(MissingExtra, match=r"A parquet file needs datasets and pyarrow: run `pip"):
        require_format(Path("best.parquet"))
    with pytest.raises(MissingExtra, match="A parquet file needs"):
        problems_cli.main([str(tmp_path / "data"), "--problems", "1", "--to", "parquet"])
    assert not list(tmp_path.iterdir())
