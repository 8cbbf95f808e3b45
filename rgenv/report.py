"""What results look like: a table for the terminal, a plot for the eye.

    print(table(("task", "score"), [("gcd", "0.75"), ("lcm", "0.50")], last=("all", "0.62")))
    score_plot({"gcd": (0.75, 40), "lcm": (0.5, 40)}, title="Evaluation", path=Path("scores.png"))

Numbers come in ready; nothing is counted here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

MARKED, PLAIN = "#2a6f97", "#d68c45"


def table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, last: Sequence[str] | None = None
) -> str:
    """Lines of equal width: the first column to the left, the others to the right.

    Args:
        last: a line below a rule, such as the total.
    """
    lines = [columns, *rows, *([last] if last is not None else [])]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    written = [
        "  ".join(
            [line[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        )
        for line in lines
    ]
    rule = "-" * len(written[0])
    written.insert(1, rule)
    if last is not None:
        written.insert(-1, rule)
    return "\n".join(written)


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
