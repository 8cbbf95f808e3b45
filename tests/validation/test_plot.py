"""rgenv/validation/plot.py: the picture of what pays without solving."""

from pathlib import Path

import pytest
from rgenv.validation.plot import plot_shortcuts, worst_level

from rgenv.validation.health import LevelReport, TaskReport
from rgenv.validation.measures import Share
from rgenv.validation.programs import Program


def report(name: str, *shares: int) -> TaskReport:
    levels = [
        LevelReport(n / 4, programs=(Program("rule", "copy", Share(s, 9)),))
        for n, s in enumerate(shares)
    ]
    return TaskReport(name, "toys", tuple(levels))


def test_the_worst_level_is_where_a_policy_earns_the_most() -> None:
    """A frequent answer counts as a policy."""
    task = report("one", 1, 3, 2)
    assert worst_level(task) is task.levels[1]
    frequent = LevelReport(1.0, programs=(Program("constant", "0", Share(8, 9)),))
    assert worst_level(TaskReport("two", "toys", (*task.levels, frequent))) is frequent
    assert worst_level(TaskReport("three", "toys", ())) is None


@pytest.mark.parametrize("tasks", [1, 40])
def test_the_picture_has_a_bar_for_each_task(tmp_path: Path, tasks: int) -> None:
    """A file is written for one task and for more than fit in one column."""
    path = tmp_path / "tasks.png"
    plot_shortcuts([report(f"task{n}", 1, 2) for n in range(tasks)], path)
    assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 5_000
