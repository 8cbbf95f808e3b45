"""What came of a run: a picture of its steps, and a table of held-out items before and after.

    plot(rows, before, after, Path("learn_output/curve.png"))
    print(table(before, after))

`rows` are the trainer's, `before` and `after` the metrics that the environment's evaluation left.
Levels are shown of tasks that they mean something for: not of those whose parameters are fixed.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

from .programs import TASK_CONFIGS

Row = Mapping[str, Any]
Metrics = Mapping[str, float]
SMOOTHING = 10  # steps


def read_metrics(folder: Path) -> Metrics:
    """What `evaluate` wrote into its folder."""
    return json.loads((folder / "metrics.json").read_text(encoding="utf-8"))["results"]["all"]


def accuracy_key(task: str) -> str:
    """The metric's name; that of all tasks together for no task."""
    return f"eval/{task}/accuracy" if task else "eval/accuracy"


def tasks_of(metrics: Metrics) -> list[str]:
    tail = "/accuracy"
    names = [name[5 : -len(tail)] for name in metrics if name.endswith(tail)]
    return sorted(name for name in names if name and "/" not in name)


def table(before: Metrics, after: Metrics) -> str:
    """Accuracy with its 95 % interval, a line a task, all tasks first."""
    lines = [f"{'held-out accuracy':20}{'before':>22}{'after':>22}"]
    for task in ("", *tasks_of(after)):
        key = accuracy_key(task)
        cells = "".join(f"{estimate(metrics, key):>22}" for metrics in (before, after))
        lines.append(f"{task or 'all tasks':20}{cells}")
    cells = "".join(f"{metrics['eval/format_rate']:>22.3f}" for metrics in (before, after))
    return "\n".join([*lines, f"{'format rate':20}{cells}"])


def estimate(metrics: Metrics, key: str) -> str:
    return f"{metrics[key]:.3f} ({metrics[f'{key}_low']:.3f}-{metrics[f'{key}_high']:.3f})"


def smooth(values: Sequence[float]) -> list[float]:
    """The mean of the last SMOOTHING values at each place."""
    starts = (max(0, place + 1 - SMOOTHING) for place in range(len(values)))
    windows = [values[start : place + 1] for place, start in enumerate(starts)]
    return [sum(window) / len(window) for window in windows]


def plot(rows: Sequence[Row], before: Metrics, after: Metrics, path: Path) -> None:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    steps = [row["step"] for row in rows]
    for name, label in (
        ("reward", "mean reward"),
        ("format_rate", "format rate"),
        ("informative", "informative share"),
    ):
        left.plot(steps, smooth([row[name] for row in rows]), label=label)
    left.set(title="training", xlabel="step", ylim=(0, 1.02))
    for task in sorted({task for row in rows for task in row["levels"]} - set(TASK_CONFIGS)):
        known = [row for row in rows if task in row["levels"]]
        levels = smooth([row["levels"][task] for row in known])
        middle.plot([row["step"] for row in known], levels, label=task)
    middle.set(title="level of the curriculum", xlabel="step", ylim=(0, 1.02))
    tasks = ["", *tasks_of(after)]
    sides = {"before": [before] * len(tasks), "after": [after] * len(tasks)}
    bars(right, [accuracy_key(task) for task in tasks], sides, ("C0", "C1"))
    right.set(title="held-out accuracy")
    right.set_xticks(range(len(tasks)), [task or "all" for task in tasks], fontsize=8)
    for axes in (left, middle, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, loc="upper center" if axes is right else "best")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def error_bars(metrics: Sequence[Metrics], keys: Sequence[str]) -> list[list[float]]:
    """How far each interval reaches down and up from its mean."""
    pairs = list(zip(metrics, keys, strict=True))
    return [
        [one[key] - one[f"{key}_low"] for one, key in pairs],
        [one[f"{key}_high"] - one[key] for one, key in pairs],
    ]


def bars(
    axes: Any, keys: Sequence[str], sides: Mapping[str, Sequence[Metrics]], colours: Sequence[str]
) -> None:
    """Means with 95 % intervals, two bars a place; each side has a label, and metrics by place."""
    for shift, (label, metrics), colour in zip((-0.2, 0.2), sides.items(), colours, strict=True):
        axes.bar(
            [place + shift for place in range(len(keys))],
            [one[key] for one, key in zip(metrics, keys, strict=True)],
            width=0.38,
            yerr=error_bars(metrics, keys),
            capsize=3,
            label=label,
            color=colour,
        )
    axes.set(ylim=(0, 1.2))  # the legend is above the bars
