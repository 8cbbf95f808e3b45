"""The results of runs: numbers in one mapping for each, a table, and a figure.

    run = results_of(Path("learn_output"), "rewards", seed=1)
    draw([run], Path("learn_output/curve.png"))
    print(accuracy_table(run))

A reward is the mean of ten steps; its band and the bars of the accuracies are 95 % intervals.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

from rgenv.task_names import KNOWN_TASKS
from rgenv.text import table

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from .trainer import read_rows

COLORS = {"rewards": "tab:blue", "shuffled": "tab:gray"}
STEPS = 10
Accuracy = Sequence[float]  # the share of right completions, and the ends of its interval
Run = Mapping[str, Any]


def results_of(folder: Path, kind: str, seed: int) -> dict[str, Any]:
    """Return the rewards of a run, and its accuracies by step and by task ("all": of all)."""
    return {
        "kind": kind,
        "seed": seed,
        "rewards": [round(row["reward"], 4) for row in read_rows(folder / "steps.jsonl")],
        "accuracies": {
            str(int(evaluation.name.removeprefix("step-"))): _accuracies(evaluation)
            for evaluation in sorted((folder / "evaluations").glob("step-*"))
        },
    }


def _accuracies(evaluation: Path) -> dict[str, Accuracy]:
    text = (evaluation / "metrics.json").read_text(encoding="utf-8")
    metrics: dict[str, float] = json.loads(text)["results"]["all"]
    keys = {"all": "eval/accuracy"} | {
        task: f"eval/{task}/accuracy" for task in sorted(KNOWN_TASKS)
    }
    return {
        task: [round(metrics[key + end], 4) for end in ("", "_low", "_high")]
        for task, key in keys.items()
        if key in metrics
    }


def ends(run: Run) -> list[dict[str, Accuracy]]:
    """Return the accuracies of the first evaluation and of the last."""
    accuracies = run["accuracies"]
    return [accuracies[choose(accuracies, key=int)] for choose in (min, max)]


def accuracy_table(run: Run) -> str:
    """Return a table of accuracies with 95 % intervals, for all tasks and for each."""
    before, after = ends(run)
    rows = [[task, *map(_with_interval, (before[task], after[task]))] for task in after]
    return table(("held-out accuracy", "before", "after"), rows)


def _with_interval(accuracy: Accuracy) -> str:
    value, low, high = accuracy
    return f"{value:.3f} ({low:.3f}-{high:.3f})"


def draw(runs: Sequence[Run], path: Path) -> None:
    """Write a PNG: reward and accuracy over steps, and the last accuracy of each task."""
    figure, (reward, accuracy, tasks) = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    for run in runs:
        _plot_rewards(reward, run["rewards"], _style(run))
        steps = sorted(run["accuracies"], key=int)
        values = [run["accuracies"][step]["all"] for step in steps]
        _plot_with_intervals(accuracy, [int(step) for step in steps], values, _style(run))
    _plot_tasks(tasks, runs)
    reward.set(title="reward in training", xlabel="step")
    accuracy.set(title="accuracy on held-out problems", xlabel="step")
    for axes in (reward, accuracy, tasks):
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _style(run: Run) -> dict[str, Any]:
    """Return color and label; only the first seed has a label."""
    return {"color": COLORS[run["kind"]]} | ({"label": run["kind"]} if run["seed"] == 1 else {})


def _plot_rewards(axes: Axes, rewards: Sequence[float], style: Mapping[str, Any]) -> None:
    places = range(STEPS, len(rewards) + 1)
    windows = np.array([rewards[end - STEPS : end] for end in places]).reshape(-1, STEPS)
    means = windows.mean(-1)
    margins = 1.96 * windows.std(-1, ddof=1) / STEPS**0.5
    axes.plot(places, means, **style)
    axes.fill_between(places, means - margins, means + margins, color=style["color"], alpha=0.2)


def _plot_with_intervals(
    axes: Axes, places: Sequence[float], values: Sequence[Accuracy], style: Mapping[str, Any]
) -> None:
    shown, low, high = np.array(values).T
    margins = [shown - low, high - shown]
    axes.errorbar(places, shown, yerr=margins, marker="o", markersize=4, capsize=3, **style)


def _plot_tasks(axes: Axes, runs: Sequence[Run]) -> None:
    """Draw three points for each task: before, and after either kind of reward."""
    first = runs[0]
    names = [task for task in ends(first)[0] if task != "all"]
    points = [("before", "tab:orange", ends(first)[0])]
    points += [(run["kind"], COLORS[run["kind"]], ends(run)[1]) for run in runs if run["seed"] == 1]
    for number, (label, color, accuracies) in enumerate(points):
        places = [place + 0.2 * (number - (len(points) - 1) / 2) for place in range(len(names))]
        style = {"color": color, "label": label, "linestyle": "none"}
        _plot_with_intervals(axes, places, [accuracies[name] for name in names], style)
    axes.set_xticks(range(len(names)), [name.replace("_", "\n") for name in names], fontsize=8)
    axes.set(title="accuracy by task, seed 1")
