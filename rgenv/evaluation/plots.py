"""Plots of scores and accuracies, written as PNG files.

::

    evaluation_plots(folder, samples)    # categories.png, levels.png, lengths.png
    score_plot({"gcd": (0.75, 40), "lcm": (0.5, 40)}, title="Training", path=Path("scores.png"))

Not here: the numbers (metrics.py).
"""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from rgenv.evaluation.estimates import Estimate, accuracies
from rgenv.evaluation.lengths import LengthBin, by_length
from rgenv.evaluation.results import (
    by_category,
    by_level,
    grouped,
    level_names,
    problem_results,
    ranked,
)
from rgenv.storage.atomic import write_atomic
from rgenv.types import Sample

BLUE, ORANGE = "#2a6f97", "#d68c45"
PANEL_ROWS = 36
"""Tasks in one column of a heat map; further tasks go into columns beside it."""


def evaluation_plots(
    folder: Path, samples: Sequence[Sample], all_tasks: Mapping[str, int] | None = None
) -> list[Path]:
    """Plot the accuracy of an evaluation by category, by task and level, and by length.

    Args:
        all_tasks: category -> number of tasks of which those of the samples are a random sample.

    Returns:
        The paths of the files. A plot that would show nothing is not written.
    """
    results, bins = problem_results(samples), by_length(samples)
    levels, paths = level_names(results), []
    if results:
        paths.append(folder / "categories.png")
        groups = grouped(results, by_category)
        blind = {name: fmean(r.blind for r in members) for name, members in groups.items()}
        interval_plot(
            accuracies(groups, all_tasks), blind, title="Accuracy by category", path=paths[-1]
        )
    if len(levels) > 1:
        paths.append(folder / "levels.png")
        cells = {
            task: accuracies(grouped(members, by_level))
            for tasks in ranked(results).values()
            for task, members in tasks.items()
        }
        level_plot(cells, levels=levels, title="Accuracy by task and level", path=paths[-1])
    if bins:
        paths.append(folder / "lengths.png")
        length_plot(bins, title="Accuracy by completion length", path=paths[-1])
    return paths


def score_plot(
    scores: Mapping[str, tuple[float, int]],
    *,
    title: str,
    path: Path,
    subtitle: str = "",
    marked: Collection[str] | None = None,
    legend: tuple[str, str] = ("", ""),
) -> None:
    """Plot a bar for each task, best on top.

    Args:
        scores: task -> (mean score in [0, 1], number of rollouts).
        marked: tasks with blue bars, the others have orange ones; None: all are blue, without a
            legend.
        legend: what blue and orange mean.
    """
    best_first = sorted(scores.items(), key=lambda row: (-row[1][0], row[0]))
    names = [name for name, _ in best_first]
    colours = [BLUE if marked is None or name in marked else ORANGE for name in names]
    figure = _figure(9, 1.8 + 0.3 * max(len(names), 3))
    axes = figure.add_subplot()
    places = range(len(names))
    bars = axes.barh(places, [score for _, (score, _) in best_first], color=colours, height=0.72)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # hides the grid behind labels
    labels = [f"{score:.2f}  ({count})" for _, (score, count) in best_first]
    axes.bar_label(bars, labels=labels, padding=5, fontsize=9, color="#333333", bbox=box)
    axes.set_yticks(places, names)
    for label, colour in zip(axes.get_yticklabels(), colours, strict=True):
        label.set_color(colour)  # a bar of length zero shows no colour
    axes.invert_yaxis()
    axes.set_xlabel("mean score  (rollouts in brackets)")
    axes.set_ylabel("task")
    axes.margins(y=0.01)
    _set_share_axis(axes)
    _style(axes, "\n".join(filter(None, [title, subtitle])), grid="x")
    if marked is not None:
        from matplotlib.patches import Patch

        handles = [Patch(color=c, label=t) for c, t in zip((BLUE, ORANGE), legend, strict=True)]
        axes.legend(handles=handles, loc="lower right", frameon=False)
    _save(figure, path)


def interval_plot(
    rows: Mapping[str, Estimate], blind: Mapping[str, float], *, title: str, path: Path
) -> None:
    """Plot a bar with its interval for each name, the first name on top.

    Args:
        blind: name -> blind share, drawn as a short line across the bar.
    """
    figure = _figure(9, 1.6 + 0.34 * max(len(rows), 3))
    axes = figure.add_subplot()
    estimates, places = list(rows.values()), range(len(rows))
    axes.barh(places, [e.mean for e in estimates], color=BLUE, height=0.7)
    for place, (name, e) in enumerate(rows.items()):
        axes.plot([e.low, e.high], [place, place], color="#222222", linewidth=1.4)
        axes.plot([blind[name]] * 2, [place - 0.42, place + 0.42], color=ORANGE, linewidth=2.2)
        label = f"{e.mean:.2f}  ({e.problems})"
        axes.text(1.02, place, label, va="center", fontsize=9, color="#333333")
    axes.set_yticks(places, list(rows))
    axes.invert_yaxis()
    axes.set_xlabel("accuracy with its 95 % interval  (problems in brackets); orange: blind share")
    axes.margins(y=0.02)
    _set_share_axis(axes)
    _style(axes, title, grid="x")
    _save(figure, path)


def level_plot(
    cells: Mapping[str, Mapping[str, Estimate]], *, levels: Sequence[str], title: str, path: Path
) -> None:
    """Plot a heat map of tasks by levels, in columns of at most `PANEL_ROWS` tasks.

    Args:
        cells: task -> name of a level -> accuracy. A missing level leaves its cell white.
        levels: names of the levels, from left to right.
    """
    names = list(cells)
    columns = max(1, -(-len(names) // PANEL_ROWS))
    rows = max(3, -(-len(names) // columns))
    width = columns * (2.4 + 0.55 * len(levels))
    figure = _figure(max(width, 5), 1.2 + 0.26 * rows)
    panels = figure.subplots(1, columns, squeeze=False)[0]
    for number, axes in enumerate(panels):
        part = names[number * rows : (number + 1) * rows]
        _draw_heat_map(axes, [[cells[name].get(level) for level in levels] for name in part])
        axes.set_yticks(range(len(part)), part, fontsize=8)
        shown = ["defaults" if name == "none" else name for name in levels]
        axes.set_xticks(range(len(levels)), shown, fontsize=8)
        axes.set_ylim(rows - 0.5, -0.5)
    figure.suptitle(title, fontsize=12)
    _save(figure, path)


def _draw_heat_map(axes: Any, rows: Sequence[Sequence[Estimate | None]]) -> None:
    """Draw coloured cells with their numbers, white on dark and black on light."""
    if rows:
        values = [[float("nan") if cell is None else cell.mean for cell in row] for row in rows]
        axes.imshow(values, cmap="cividis", vmin=0, vmax=1, aspect="auto")
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            if cell is not None:
                ink = "white" if cell.mean < 0.5 else "black"
                number = f"{cell.mean:.2f}"
                axes.text(x, y, number, ha="center", va="center", fontsize=7, color=ink)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def length_plot(bins: Sequence[LengthBin], *, title: str, path: Path) -> None:
    """Plot a bar with its interval for each bin of completion lengths."""
    figure = _figure(9, 4.6)
    axes = figure.add_subplot()
    places = range(len(bins))
    axes.bar(places, [b.accuracy.mean for b in bins], color=BLUE, width=0.8)
    for place, b in zip(places, bins, strict=True):
        axes.plot([place] * 2, [b.accuracy.low, b.accuracy.high], color="#222222", linewidth=1.4)
        label = f"{b.accuracy.mean:.2f}"
        axes.text(place, b.accuracy.high + 0.02, label, ha="center", fontsize=9, color="#333333")
    labels = [f"{b.label}\n{b.completions} ({b.truncated} cut)" for b in bins]
    axes.set_xticks(places, labels, fontsize=8)
    axes.set_ylim(0, 1.1)
    axes.set_xlabel("tokens per completion; below: completions (of these, cut at the token limit)")
    axes.set_ylabel("accuracy with its 95 % interval")
    _style(axes, title, grid="y")
    _save(figure, path)


def _figure(width: float, height: float) -> Any:
    """Return an empty figure; sizes are in inches."""
    from matplotlib.figure import Figure  # imported late: most runs of the environment plot nothing

    return Figure(figsize=(width, height), layout="constrained")


def _save(figure: Any, path: Path) -> None:
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    write_atomic(path, picture.getvalue())


def _set_share_axis(axes: Any) -> None:
    axes.set_xlim(0, 1.16)  # leaves room for labels beside full bars
    axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])


def _style(axes: Any, title: str, *, grid: str) -> None:
    axes.grid(axis=grid, color="#dddddd")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, fontsize=12)
