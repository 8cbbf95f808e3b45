"""rgenv/rollouts/metrics.py: rates of groups, and metrics.jsonl."""

import logging
from pathlib import Path

import pytest

from rgenv.rollouts.metrics import MetricsFile
from tests.support.dumps import rows


def test_a_line_holds_texts_and_finite_numbers(tmp_path: Path) -> None:
    """Numbers have six digits; tables and NaN are left out."""
    numbers = {"a": 1 / 3, "b": 12.0, "nan": float("nan")}
    MetricsFile(lambda: tmp_path).append({**numbers, "run": "x", "table": object()})
    assert rows(tmp_path / "metrics.jsonl") == [{"a": 0.333333, "b": 12, "run": "x"}]


def test_a_folder_that_refuses_costs_only_the_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocker = tmp_path / "dumps"
    blocker.write_text("a file where the folder should be")
    file, path = MetricsFile(lambda: blocker), blocker / "metrics.jsonl"
    with caplog.at_level(logging.ERROR):
        file.append({"step": 1})
        file.append({"step": 2})
    assert caplog.text.count(f"Metrics can't be written to {path}") == 1
    blocker.unlink()
    file.append({"step": 3})
    assert rows(path) == [{"step": 3}]
