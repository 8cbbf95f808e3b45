"""rgenv/validation/plot.py: the picture of what pays without solving."""

from pathlib import Path

import pytest

from rgenv.validation.health import LevelReport, TaskReport
from rgenv.validation.measures import Share
from rgenv.validation.plot import plot_shortcuts
from rgenv.validation.programs import Program


def report(name: str, *shares: int) -> TaskReport:
    levels = [
        LevelReport(n / 4, programs=(Program("rule", "copy", Share(s, 9)),))
        for n, s in enumerate(shares)
    ]
    return TaskReport(name, "toys", tuple(levels))


@pytest.mark.parametrize("tasks", [1, 40])
def test_the_picture_has_a_bar_for_each_task(tmp_path: Path, tasks: int) -> None:
    """A file is written for one task and for more than fit in one column."""
    path = tmp_path / "tasks.png"
    plot_shortcuts([report(f"task{n}", 1, 2) for n in range(tasks)], path)
    assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 5_000
