"""What results look like: a table for the terminal, plots for the eye.

    print(table(("task", "score"), [("gcd", "0.75"), ("lcm", "0.50")], last=("all", "0.62")))
    score_plot({"gcd": (0.75, 40), "lcm": (0.5, 40)}, title="Evaluation", path=Path("scores.png"))
    evaluation_plots(folder, samples)    # categories.png, levels.png, lengths.png

Numbers come in ready, or from evaluation.py; nothing is counted here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from rgenv.evaluation import metrics
from rgenv.evaluation.metrics import Estimate, LengthBin
from rgenv.text import level_name
from rgenv.types import Sample

MARKED, PLAIN = "#2a6f97", "#d68c45"
PANEL_ROWS = 36
"""Tasks in one column of a heat map; more stand beside each other."""


def score_plot(
    scores: Mapping[str, tuple[float, int]],
    *,
    title: str,
    path: Path,
    subtitle: str = "",
    marked: Collection[str] | None = None,
    legend: tuple[str, str] = ("", ""),
) -> None:
    """A bar for each name, best on top, written to `path` as PNG.

    Args:
        scores: name -> (mean score in [0, 1], number of rollouts behind it).
        marked: names in the first of two colours; None for one colour and no legend.
        legend: what the two colours mean.
    """
    # Imported here: a run that draws nothing need not wait for it.
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    best_first = sorted(scores.items(), key=lambda row: (-row[1][0], row[0]))
    rows = best_first[::-1]  # bars are counted from below
    names = [name for name, _ in rows]
    colours = [MARKED if marked is None or name in marked else PLAIN for name in names]
    figure = Figure(figsize=(9, 1.8 + 0.3 * max(len(rows), 3)), layout="constrained")
    axes = figure.add_subplot()
    places = range(len(rows))
    bars = axes.barh(places, [score for _, (score, _) in rows], color=colours, height=0.72)
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # hides the grid behind text
    labels = [f"{score:.2f}  ({count})" for _, (score, count) in rows]
    axes.bar_label(bars, labels=labels, padding=5, fontsize=9, color="#333333", bbox=paper)
    axes.set_yticks(places, names)
    for label, colour in zip(axes.get_yticklabels(), colours, strict=True):
        label.set_color(colour)  # a bar of length zero shows no colour
    axes.set_xlim(0, 1.16)  # room for the label of a full bar
    axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.set_xlabel("mean score  (rollouts in brackets)")
    axes.set_ylabel("task")
    axes.margins(y=0.01)
    axes.grid(axis="x", color="#dddddd")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title("\n".join(filter(None, [title, subtitle])), fontsize=12)
    if marked is not None:
        handles = [Patch(color=c, label=t) for c, t in zip((MARKED, PLAIN), legend, strict=True)]
        axes.legend(handles=handles, loc="lower right", frameon=False)
    figure.savefig(path, format="png")


def evaluation_plots(folder: Path, samples: Sequence[Sample]) -> list[Path]:
    """Draw an evaluation: accuracy by category, by level and by length, where there is any."""
    found, bins = metrics.items(samples), metrics.by_length(samples)
    levels, paths = metrics.level_names(found), []
    if found:
        paths.append(folder / "categories.png")
        rows = metrics.accuracies(metrics.grouped(found, lambda i: i.category))
        interval_plot(rows, title="Accuracy by category", path=paths[-1])
    if len(levels) > 1:
        paths.append(folder / "levels.png")
        cells = {
            task: metrics.accuracies(metrics.grouped(members, lambda i: level_name(i.level)))
            for tasks in metrics.ranked(found).values()
            for task, members in tasks.items()
        }
        level_plot(cells, levels=levels, title="Accuracy by task and level", path=paths[-1])
    if bins:
        paths.append(folder / "lengths.png")
        length_plot(bins, title="Accuracy by completion length", path=paths[-1])
    return paths


def interval_plot(rows: Mapping[str, Estimate], *, title: str, path: Path) -> None:
    """A bar with its interval for each name, in the order given, written to `path` as PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 1.6 + 0.34 * max(len(rows), 3)), layout="constrained")
    axes = figure.add_subplot()
    estimates, places = list(rows.values()), range(len(rows))
    axes.barh(places, [e.mean for e in estimates], color=MARKED, height=0.7)
    for place, e in zip(places, estimates, strict=True):
        axes.plot([e.low, e.high], [place, place], color="#222222", linewidth=1.4)
        label = f"{e.mean:.2f}  ({e.items})"
        axes.text(1.02, place, label, va="center", fontsize=9, color="#333333")
    axes.set_yticks(places, list(rows))
    axes.invert_yaxis()
    axes.set_xlim(0, 1.16)
    axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.set_xlabel("accuracy with its 95 % interval  (items in brackets)")
    axes.margins(y=0.02)
    _plain(axes, title)
    figure.savefig(path, format="png")


def level_plot(
    cells: Mapping[str, Mapping[str, Estimate]], *, levels: Sequence[str], title: str, path: Path
) -> None:
    """A heat map of tasks by levels, in the order given, in columns of at most 36 tasks.

    Args:
        cells: task -> level -> accuracy; a level that was not asked is left white.
    """
    from matplotlib.figure import Figure

    names = list(cells)
    columns = max(1, -(-len(names) // PANEL_ROWS))
    rows = max(3, -(-len(names) // columns))
    width = columns * (2.4 + 0.55 * len(levels))
    figure = Figure(figsize=(max(width, 5), 1.2 + 0.26 * rows), layout="constrained")
    panels = figure.subplots(1, columns, squeeze=False)[0]
    for number, axes in enumerate(panels):
        part = names[number * rows : (number + 1) * rows]
        _heat(axes, [[_mean_at(cells[name], level) for level in levels] for name in part])
        axes.set_yticks(range(len(part)), part, fontsize=8)
        axes.set_xticks(range(len(levels)), levels, fontsize=8)
        axes.set_ylim(rows - 0.5, -0.5)
    figure.suptitle(title, fontsize=12)
    figure.savefig(path, format="png")


def _mean_at(cells: Mapping[str, Estimate], level: str) -> float | None:
    return cells[level].mean if level in cells else None


def _heat(axes: Any, cells: Sequence[Sequence[float | None]]) -> None:
    """Squares of colour with their number, dark on light and light on dark."""
    if cells:
        values = [[float("nan") if cell is None else cell for cell in row] for row in cells]
        axes.imshow(values, cmap="cividis", vmin=0, vmax=1, aspect="auto")
    for y, row in enumerate(cells):
        for x, cell in enumerate(row):
            if cell is not None:
                ink = "white" if cell < 0.5 else "black"
                axes.text(x, y, f"{cell:.2f}", ha="center", va="center", fontsize=7, color=ink)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def length_plot(bins: Sequence[LengthBin], *, title: str, path: Path) -> None:
    """Accuracy with its interval for each bin of completion lengths, written to `path` as PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.6), layout="constrained")
    axes = figure.add_subplot()
    places = range(len(bins))
    axes.bar(places, [b.accuracy.mean for b in bins], color=MARKED, width=0.8)
    for place, b in zip(places, bins, strict=True):
        axes.plot([place] * 2, [b.accuracy.low, b.accuracy.high], color="#222222", linewidth=1.4)
        label = f"{b.accuracy.mean:.2f}"
        axes.text(place, b.accuracy.high + 0.02, label, ha="center", fontsize=9, color="#333333")
    labels = [f"{b.label}\n{b.completions} ({b.truncated} cut)" for b in bins]
    axes.set_xticks(places, labels, fontsize=8)
    axes.set_ylim(0, 1.1)
    axes.set_xlabel("completion length in tokens; below: completions, and how many were cut off")
    axes.set_ylabel("accuracy with its 95 % interval")
    _plain(axes, title, grid="y")
    figure.savefig(path, format="png")


def _plain(axes: Any, title: str, *, grid: str = "x") -> None:
    axes.grid(axis=grid, color="#dddddd")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, fontsize=12)
