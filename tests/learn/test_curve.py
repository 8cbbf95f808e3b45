"""The table and the plot of a run."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from examples.learn.curve import accuracy_table, plot, smooth, tasks_of

ROW: dict[str, Any] = {"reward": 0.5, "format_rate": 1.0, "informative": 0.7}
METRICS: dict[str, float] = {
    f"eval/{task}accuracy{end}": value
    for task in ("", "gcd/", "category/arithmetic/")
    for end, value in (("", 0.5), ("_low", 0.4), ("_high", 0.625))
} | {"eval/format_rate": 0.96}


def test_the_table_has_a_line_for_each_task() -> None:
    """The table has all tasks, each task and the format rate, but no categories."""
    assert tasks_of(METRICS) == ["gcd"]
    assert accuracy_table(METRICS, METRICS).splitlines() == [
        "held-out accuracy               before                after",
        "-----------------------------------------------------------",
        "all tasks          0.500 (0.400-0.625)  0.500 (0.400-0.625)",
        "gcd                0.500 (0.400-0.625)  0.500 (0.400-0.625)",
        "-----------------------------------------------------------",
        "format rate                      0.960                0.960",
    ]


def test_smoothing_averages_the_last_ten_values() -> None:
    """Each value becomes the mean of itself and up to nine values before it."""
    assert smooth([0.0, 1.0, 2.0]) == [0.0, 0.5, 1.0]
    assert smooth([float(n) for n in range(20)])[-1] == 14.5


def test_a_task_may_be_missing_from_batches(tmp_path: Path) -> None:
    """The plot is drawn when a task has levels in some batches only."""
    rows = [ROW | {"step": n, "levels": {"gcd": 0.3} if n % 2 else {}} for n in range(9)]
    plot(rows, METRICS, METRICS, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").stat().st_size > 5000
