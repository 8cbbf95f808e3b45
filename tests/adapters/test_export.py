"""What `export` writes, with TRL's SFTTrainer and DPOTrainer."""

import json
from pathlib import Path

import pytest

from rgenv.export.columns import COMPLETIONS, PAIRS
from rgenv.export.sink import sink
from tests.support.exported import exported, problem
from tests.support.trainers import against, run
from tests.support.viewed import DUMP, write_lines

TRACE = ["group", "level", "recipe", "task"]


@against("trl")
@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
async def test_trl_trains_on_an_export(tmp_path: Path, tokenizer_dir: Path, ending: str) -> None:
    """Both trainers read the files without any option, and take two steps that change the model."""
    hostile = "<think>\u2028\u0000 </s><|im_end|>\r\n\ud800</think><answer>42</answer>"
    lines = [problem(f"g{n}", number=n, level=None if n < 5 else 0.5) for n in range(1, 16, 2)]
    lines.append(problem("h", number=17, texts=[hostile, "<answer>no</answer>"]))
    write_lines(tmp_path / DUMP, *lines)
    files = []
    for pairs in (False, True):
        path = tmp_path / f"{pairs}{ending}"
        rows, _ = await exported(tmp_path / DUMP, pairs=pairs)
        with sink(path, PAIRS if pairs else COMPLETIONS) as write_row:
            for row in rows:
                write_row(row)
        files.append(path)
    words = ["-m", "tests.support.trl_fine_tuning", tokenizer_dir, *files]
    run("trl", "python", *words, cwd=tmp_path)
    found = json.loads((tmp_path / "losses.json").read_text())
    assert found["sft_rows"] == [9, sorted(["messages", "score", "index", *TRACE])]
    names = [f"{name}_{which}" for name in ("score", "index") for which in ("chosen", "rejected")]
    assert found["dpo_rows"] == [9, sorted(["prompt", "chosen", "rejected", *names, *TRACE])]
    for name in ("sft", "dpo"):
        first, second = found[name]
        assert first > 0 and first != second
