"""The demo as a program: its options, and a short run of the whole loop."""

import json
from pathlib import Path

import pytest

from demo import run
from demo.rules import SOLVED_TASKS


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_batches_are_counted_from_one(number: str) -> None:
    """A number of batches below 1 is bad usage."""
    with pytest.raises(SystemExit) as refusal:
        run.main([f"--batches={number}"])
    assert refusal.value.code == 2


def test_the_policy_knows_most_tasks() -> None:
    """The demo has tasks with a rule and three without one."""
    assert sum(task not in SOLVED_TASKS for task in run.TASKS.split(",")) == 3


def test_each_run_has_its_own_results(tmp_path: Path) -> None:
    """The folder of an evaluation is numbered after those that exist."""
    assert run.new_results_folder(tmp_path).name == "run-001"
    for name in ("run-001", "run-009"):
        (tmp_path / name).mkdir()
    assert run.new_results_folder(tmp_path).name == "run-010"


@pytest.mark.slow
def test_a_short_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Batches reach the trainer, and table, plot, dumps and evaluation are written."""
    words = ["--batches=2", "--tasks=gcd,chain_sum", f"--output={tmp_path}", "--timeout=600"]
    assert run.main(words) == 0
    output = capsys.readouterr().out
    assert "2 batches, 16 groups of 4" in output
    assert (tmp_path / "scores.png").read_bytes().startswith(b"\x89PNG")
    [dump] = (tmp_path / "rollouts").glob("*.jsonl")
    assert str(dump) in output
    assert f"{tmp_path}/view.html" in output and (tmp_path / "view.html").stat().st_size > 50_000
    metrics = tmp_path / "evaluations" / "run-001" / "metrics.json"
    assert json.loads(metrics.read_text())["results"]["all"]["eval/items"] == 16
