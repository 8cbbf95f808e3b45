"""rgenv/rollouts/metrics.py: training metrics between two reports.

test_formulas.py has a case for each metric.
"""

import json
import logging
import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from rgenv.rollouts.metrics import MetricsFile, TrainMetrics
from rgenv.rollouts.outcomes import Outcomes


def equal(reward: float, kind: str = "scored") -> Outcomes:
    """A group of two equal completions."""
    return Outcomes([reward] * 2, [reward] * 2, [kind] * 2, [False] * 2, [False] * 2, [150] * 2)


def test_groups_and_tokens_are_counted_from_the_start() -> None:
    """Taking the metrics ends the period of the rates, not that of the counts."""
    metrics = TrainMetrics()
    assert metrics.rates() == {}
    metrics.group("gcd", equal(1.0))
    assert metrics.rates()["accuracy"] == 1.0
    metrics.take()
    assert metrics.rates() == {} and (metrics.groups, metrics.tokens) == (1, 300)


def new_file(folder: Path) -> tuple[MetricsFile, Path]:
    return MetricsFile(lambda: folder), folder / "metrics.jsonl"


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_reports_are_appended(tmp_path: Path) -> None:
    """A second run in the same folder keeps the lines of the first; the folder is created."""
    for run in ("a", "b"):
        MetricsFile(lambda: tmp_path / "dumps").append({"run": run, "step": 1})
    assert rows(tmp_path / "dumps" / "metrics.jsonl") == [
        {"run": "a", "step": 1},
        {"run": "b", "step": 1},
    ]


def test_a_line_holds_texts_and_finite_numbers(tmp_path: Path) -> None:
    """Numbers have six digits; tables and NaN are left out."""
    file, path = new_file(tmp_path)
    file.append({"a": 1 / 3, "b": 12.0, "run": "x", "table": object(), "nan": float("nan")})
    assert rows(path) == [{"a": 0.333333, "b": 12, "run": "x"}]


def _write_many(folder: Path, name: str) -> None:
    file, _ = new_file(folder)
    for number in range(200):
        file.append({"run": name, "step": number, "text": name * 2000})


def test_runs_in_one_folder_write_whole_lines(tmp_path: Path) -> None:
    """Two processes that append at once do not mix their lines."""
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(tmp_path, name)) for name in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    found = rows(tmp_path / "metrics.jsonl")
    assert [row["step"] for row in found if row["run"] == "a"] == list(range(200))
    assert len(found) == 400


def test_a_folder_that_refuses_costs_only_the_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One error names the path; the next report that can be written is."""
    blocker = tmp_path / "dumps"
    blocker.write_text("a file where the folder should be")
    file, path = new_file(blocker)
    with caplog.at_level(logging.ERROR):
        file.append({"step": 1})
        file.append({"step": 2})
    assert caplog.text.count(f"Metrics can't be written to {path}") == 1
    blocker.unlink()
    file.append({"step": 3})
    assert rows(path) == [{"step": 3}]
