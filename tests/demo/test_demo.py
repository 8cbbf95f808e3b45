"""The demo runs, and what other tests rely on is strict: the trainer's checks and the rules."""

import json
from pathlib import Path

import pytest

from demo import run


@pytest.mark.soak
def test_a_short_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--batches=2", "--tasks=gcd,chain_sum", f"--output={tmp_path}", "--timeout=600"]
    assert run.main(words) == 0
    output = capsys.readouterr().out
    assert "2 batches, 16 groups of 4" in output
    [dump] = (tmp_path / "rollouts").glob("*.jsonl")
    assert str(dump) in output
    assert f"{tmp_path}/view.html" in output and (tmp_path / "view.html").stat().st_size > 50_000
    metrics = tmp_path / "evaluations" / "run-001" / "metrics.json"
    assert json.loads(metrics.read_text())["results"]["all"]["eval/items"] == 16
