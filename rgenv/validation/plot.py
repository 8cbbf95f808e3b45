"""A picture of what pays without solving: one bar for each task, at its worst level.

::

    plot_shortcuts(reports, Path("docs/tasks.png"))

Not here: the numbers (health.py).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rgenv.storage.atomic import write_atomic
from rgenv.validation.health import MAX_TOP_ANSWER, LevelReport, TaskReport

TOP_ANSWER, SHORTCUT, LIMIT = "#9db8c9", "#d68c45", "#b03a2e"
ROWS = 35
"""Tasks in one column of the picture."""


def plot_shortcuts(reports: Sequence[TaskReport], path: Path) -> None:
    """Draw the share of problems that the best shortcut and the most frequent answer solve.

    Both are those of the level at which the better of the two solves the most. A line is the 95 %
    interval of the shortcut.
    """
    from matplotlib.figure import Figure  # imported late: it takes half a second
    from matplotlib.patches import Patch

    columns = [reports[start : start + ROWS] for start in range(0, len(reports), ROWS)]
    height = 2.0 + 0.24 * min(ROWS, max(len(reports), 3))
    figure = Figure(figsize=(4.8 * len(columns), height), layout="constrained")
    panels = figure.subplots(1, len(columns), squeeze=False)[0]
    for axes, tasks in zip(panels, columns, strict=True):
        _draw(axes, tasks, rows=max(map(len, columns)))
    handles = [
        Patch(color=SHORTCUT, label="best program that does not solve the task"),
        Patch(color=TOP_ANSWER, label="most frequent answer"),
        Patch(color=LIMIT, label="limit of the most frequent answer"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    figure.suptitle("Share of problems that pay without being solved, at each task's worst level")
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=90)
    write_atomic(path, picture.getvalue())


def worst_level(report: TaskReport) -> LevelReport | None:
    """Return the level at which a policy that does not solve earns the most; None without any."""
    return max(report.levels, key=_blind_share, default=None)


def _blind_share(level: LevelReport) -> float:
    best = level.shortcut.solved.value if level.shortcut is not None else 0.0
    return max(best, level.top_share)


def _draw(axes: Any, tasks: Sequence[TaskReport], *, rows: int) -> None:
    levels = [worst_level(task) for task in tasks]
    for place, level in enumerate(levels):
        if level is None:
            continue
        axes.barh(place - 0.2, level.top_share, color=TOP_ANSWER, height=0.38)
        if level.shortcut is not None:
            solved = level.shortcut.solved
            axes.barh(place + 0.2, solved.value, color=SHORTCUT, height=0.38)
            axes.plot(solved.interval, [place + 0.2] * 2, color="#444444", linewidth=0.8)
    axes.axvline(MAX_TOP_ANSWER, color=LIMIT, linewidth=0.8)
    axes.set_yticks(range(len(tasks)), [task.task for task in tasks], fontsize=8)
    axes.set_ylim(rows - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.grid(axis="x", color="#dddddd")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
