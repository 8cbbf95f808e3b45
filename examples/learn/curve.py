"""The results of a run: a plot of its steps, and a table of accuracies before and after.

    plot(rows, before, after, Path("learn_output/curve.png"))
    print(accuracy_table(before, after))

`rows` are the trainer's, one for each step. `before` and `after` are metrics of the environment's
evaluations. The curriculum's levels are plotted only for tasks whose configuration depends on them.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

from rgenv.task_names import KNOWN_TASKS
from rgenv.text import table

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from .settings import TASK_CONFIGS

Row = Mapping[str, Any]
Metrics = Mapping[str, float]
SMOOTHING_STEPS = 10


def read_metrics(folder: Path) -> Metrics:
    """Read the metrics that `evaluate` wrote into its folder."""
    results = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))["results"]
    metrics: dict[str, float] = results["all"]
    return metrics


def accuracy_key(task: str) -> str:
    """Return the name of a task's accuracy; "" stands for all tasks."""
    return f"eval/{task}/accuracy" if task else "eval/accuracy"


def tasks_of(metrics: Metrics) -> list[str]:
    """Return the tasks that have an accuracy, sorted; other keys name groups of tasks."""
    return sorted(task for task in KNOWN_TASKS if accuracy_key(task) in metrics)


def accuracy_table(before: Metrics, after: Metrics) -> str:
    """Return a table of accuracies with 95 % intervals, for all tasks and for each."""
    sides = (before, after)
    rows = [
        [task or "all tasks", *(_with_interval(metrics, accuracy_key(task)) for metrics in sides)]
        for task in ("", *tasks_of(after))
    ]
    format_rates = [f"{metrics['eval/format_rate']:.3f}" for metrics in sides]
    return table(
        ("held-out accuracy", "before", "after"), rows, last=("format rate", *format_rates)
    )


def _with_interval(metrics: Metrics, key: str) -> str:
    return f"{metrics[key]:.3f} ({metrics[f'{key}_low']:.3f}-{metrics[f'{key}_high']:.3f})"


def smooth(values: Sequence[float]) -> list[float]:
    """Return the mean of up to SMOOTHING_STEPS values that end at each place."""
    starts = (max(0, end - SMOOTHING_STEPS) for end in range(1, len(values) + 1))
    windows = [values[start : end + 1] for end, start in enumerate(starts)]
    return [sum(window) / len(window) for window in windows]


def plot(rows: Sequence[Row], before: Metrics, after: Metrics, path: Path) -> None:
    """Write a PNG: training, levels of the curriculum, accuracy before and after."""
    figure, (training, levels, accuracy) = plt.subplots(
        1, 3, figsize=(12, 3.6), layout="constrained"
    )
    _plot_training(training, rows)
    _plot_levels(levels, rows)
    _plot_accuracy(accuracy, before, after)
    for axes in (training, levels, accuracy):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, loc="upper center" if axes is accuracy else "best")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _plot_training(axes: Axes, rows: Sequence[Row]) -> None:
    labels = {
        "reward": "mean reward",
        "format_rate": "format rate",
        "informative": "informative share",
    }
    for name, label in labels.items():
        axes.plot([row["step"] for row in rows], smooth([row[name] for row in rows]), label=label)
    axes.set(title="training", xlabel="step", ylim=(0, 1.02))


def _plot_levels(axes: Axes, rows: Sequence[Row]) -> None:
    for task in sorted({task for row in rows for task in row["levels"]} - set(TASK_CONFIGS)):
        seen = [row for row in rows if task in row["levels"]]
        levels = smooth([row["levels"][task] for row in seen])
        axes.plot([row["step"] for row in seen], levels, label=task)
    axes.set(title="level of the curriculum", xlabel="step", ylim=(0, 1.02))


def _plot_accuracy(axes: Axes, before: Metrics, after: Metrics) -> None:
    """Draw two bars with 95 % intervals for all tasks and for each."""
    tasks = ["", *tasks_of(after)]
    keys = [accuracy_key(task) for task in tasks]
    for shift, label, metrics in ((-0.2, "before", before), (0.2, "after", after)):
        below = [metrics[key] - metrics[f"{key}_low"] for key in keys]
        above = [metrics[f"{key}_high"] - metrics[key] for key in keys]
        axes.bar(
            [place + shift for place in range(len(keys))],
            [metrics[key] for key in keys],
            width=0.38,
            yerr=[below, above],
            capsize=3,
            label=label,
        )
    axes.set(title="held-out accuracy", ylim=(0, 1.2))  # leaves room for the legend
    axes.set_xticks(range(len(tasks)), [task or "all" for task in tasks], fontsize=8)
