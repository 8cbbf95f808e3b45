"""What the trainer received, as a table for the terminal and a plot for the eye.

print(table(report.tasks))
plot(report.tasks, known={"gcd"}, subtitle="12 batches", path=Path("demo_output/scores.png"))
"""

from collections.abc import Collection, Mapping
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from .trainer import TaskStats, TrainerReport

COLUMNS = ("task", "groups", "mean score", "format failures", "truncated")
BY_RULE, BY_GUESS = "#2a6f97", "#d68c45"


def by_score(tasks: Mapping[str, TaskStats]) -> list[tuple[str, TaskStats]]:
    """Best first; equals by name."""
    return sorted(tasks.items(), key=lambda entry: (-entry[1].mean_score, entry[0]))


def table(report: TrainerReport) -> str:
    """One line per task, best first, and a line for all of them."""
    lines = [COLUMNS]
    for name, stats in [*by_score(report.tasks), ("all", report.total)]:
        lines.append(
            (
                name,
                str(stats.groups),
                f"{stats.mean_score:.3f}",
                str(stats.format_failures),
                str(stats.truncations),
            )
        )
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    written = [
        "  ".join(
            [line[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        )
        for line in lines
    ]
    rule = "-" * len(written[0])
    return "\n".join([written[0], rule, *written[1:-1], rule, written[-1]])


def plot(
    tasks: Mapping[str, TaskStats], *, known: Collection[str], subtitle: str, path: Path
) -> None:
    """A bar per task, best on top; its colour says whether the policy has a rule for it."""
    rows = list(reversed(by_score(tasks)))
    names = [name for name, _ in rows]
    scores = [stats.mean_score for _, stats in rows]
    colours = [BY_RULE if name in known else BY_GUESS for name in names]
    figure = Figure(figsize=(9, 1.8 + 0.3 * max(len(rows), 3)), layout="constrained")
    axes = figure.add_subplot()
    bars = axes.barh(names, scores, color=colours, height=0.72)
    labels = [f"{stats.mean_score:.2f}  ({stats.rollouts})" for _, stats in rows]
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # hides the grid behind text
    axes.bar_label(bars, labels=labels, padding=5, fontsize=9, color="#333333", bbox=paper)
    for label, colour in zip(axes.get_yticklabels(), colours, strict=False):
        label.set_color(colour)  # a bar of length zero shows no colour
    axes.set_xlim(0, 1.16)  # room for the label of a full bar
    axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.set_xlabel("mean score  (rollouts in brackets)")
    axes.set_ylabel("task")
    axes.margins(y=0.01)
    axes.grid(axis="x", color="#dddddd")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(f"Mean score of the stand-in policy per task\n{subtitle}", fontsize=12)
    axes.legend(
        handles=[Patch(color=BY_RULE, label="has a rule"), Patch(color=BY_GUESS, label="guesses")],
        loc="lower right",
        frameon=False,
    )
    FigureCanvasAgg(figure).print_png(path)
