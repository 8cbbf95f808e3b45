"""The table and the plot of what the trainer received."""

from pathlib import Path

import pytest

from demo.summary import report_plot, report_table
from demo.trainer import TaskStats, TrainerReport

TASKS = {
    "gcd": TaskStats(groups=2, rollouts=8, total_score=6.0, format_failures=1, truncations=1),
    "maze": TaskStats(groups=1, rollouts=4, total_score=4.0),
    "sudoku": TaskStats(groups=1, rollouts=4, total_score=0.0, format_failures=4),
}


def test_table() -> None:
    """Tasks are sorted by score; the last line counts all of them."""
    assert report_table(TrainerReport(tasks=TASKS)).splitlines() == [
        "task    groups  mean score  format failures  truncated",
        "------------------------------------------------------",
        "maze         1       1.000                0          0",
        "gcd          2       0.750                1          1",
        "sudoku       1       0.000                4          0",
        "------------------------------------------------------",
        "all          4       0.625                5          1",
    ]


def test_nothing_received() -> None:
    """The table of a report without tasks has zeros in its last line."""
    last_line = report_table(TrainerReport()).splitlines()[-1]
    assert last_line.split() == ["all", "0", "0.000", "0", "0"]


@pytest.mark.parametrize("tasks", [{}, TASKS])
def test_plot(tmp_path: Path, tasks: dict[str, TaskStats]) -> None:
    """The plot is a PNG file, with or without tasks."""
    report_plot(tasks, known={"gcd"}, subtitle="s", path=tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
