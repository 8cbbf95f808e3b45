"""Show the groups that the trainer received: a table for the terminal and a plot.

print(report_table(report))
report_plot(report.tasks, known={"gcd"}, subtitle="12 batches", path=Path("demo_output/scores.png"))
"""

from collections.abc import Collection, Mapping
from pathlib import Path

from rgenv.text import table

from .trainer import TaskStats, TrainerReport

BLUE, ORANGE = "#2a6f97", "#d68c45"
COLUMNS = ("task", "groups", "mean score", "format failures", "truncated")


def report_table(report: TrainerReport) -> str:
    """Return a table with a line for each task, best first, and a line for all tasks."""
    by_score = sorted(report.tasks.items(), key=lambda entry: (-entry[1].mean_score, entry[0]))
    rows = [_row(name, stats) for name, stats in by_score]
    return table(COLUMNS, rows, last=_row("all", report.total))


def _row(name: str, stats: TaskStats) -> tuple[str, ...]:
    counts = (stats.format_failures, stats.truncations)
    return (name, str(stats.groups), f"{stats.mean_score:.3f}", *map(str, counts))


def report_plot(
    tasks: Mapping[str, TaskStats], *, known: Collection[str], subtitle: str, path: Path
) -> None:
    """Write a PNG with a bar for each task; the colour tells whether the policy has a rule."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    best_first = sorted(tasks.items(), key=lambda row: (-row[1].mean_score, row[0]))
    names = [name for name, _ in best_first]
    colours = [BLUE if name in known else ORANGE for name in names]
    figure = Figure(figsize=(9, 1.8 + 0.3 * max(len(names), 3)), layout="constrained")
    axes = figure.add_subplot()
    places = range(len(names))
    bars = axes.barh(places, [s.mean_score for _, s in best_first], color=colours, height=0.72)
    labels = [f"{s.mean_score:.2f}  ({s.rollouts})" for _, s in best_first]
    axes.bar_label(bars, labels=labels, padding=5, fontsize=9, color="#333333")
    axes.set_yticks(places, names)
    for label, colour in zip(axes.get_yticklabels(), colours, strict=True):
        label.set_color(colour)  # a bar of length zero shows no colour
    axes.invert_yaxis()
    axes.set_xlim(0, 1.16)  # leaves room for labels beside full bars
    axes.set_xlabel("mean score  (rollouts in brackets)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(
        f"Mean score per task of the stand-in policy, which errs on purpose\n{subtitle}",
        fontsize=12,
    )
    legend = [Patch(color=BLUE, label="has a rule"), Patch(color=ORANGE, label="guesses")]
    axes.legend(handles=legend, loc="lower right", frameon=False)
    figure.savefig(path)
