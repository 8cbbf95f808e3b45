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
    rewards = [round(row["reward"], 4) for row in read_rows(folder / "steps.jsonl")]
    tasks = {"all": "eval/"} | {task: f"eval/{task}/" for task in sorted(KNOWN_TASKS)}
    accuracies = {}
    for path in sorted(folder.glob("evaluations/step-*/metrics.json")):
        metrics = json.loads(path.read_text(encoding="utf-8"))["results"]["all"]
        accuracies[str(int(path.parent.name.removeprefix("step-")))] = {
            task: [round(metrics[f"{start}accuracy{end}"], 4) for end in ("", "_low", "_high")]
            for task, start in tasks.items()
            if f"{start}accuracy" in metrics
        }
    return {"kind": kind, "seed": seed, "rewards": rewards, "accuracies": accuracies}


def ends(run: Run) -> list[dict[str, Accuracy]]:
    """Return the accuracies of the first evaluation and of the last."""
    accuracies = run["accuracies"]
    return [accuracies[choose(accuracies, key=int)] for choose in (min, max)]


def accuracy_table(run: Run) -> str:
    """Return a table of accuracies with 95 % intervals, for all tasks and for each."""
    before, after = (
        {task: "{:.3f} ({:.3f}-{:.3f})".format(*accuracy) for task, accuracy in end.items()}
        for end in ends(run)
    )
    rows = [(task, before[task], after[task]) for task in after]
    return table(("held-out accuracy", "before", "after"), rows)


def draw(runs: Sequence[Run], path: Path) -> None:
    """Write a PNG: reward and accuracy over steps, and the last accuracy of each task."""
    figure, (reward, accuracy, tasks) = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    points = [("before", "tab:orange", ends(runs[0])[0])]
    for run in runs:
        kind, color = run["kind"], COLORS[run["kind"]]
        label = kind if run["seed"] == 1 else None
        _plot_rewards(reward, run["rewards"], color, label)
        steps = sorted(run["accuracies"], key=int)
        values = [run["accuracies"][step]["all"] for step in steps]
        _plot_intervals(accuracy, list(map(int, steps)), values, color=color, label=label)
        if run["seed"] == 1:
            points.append((kind, color, ends(run)[1]))
    names = [task for task in points[0][2] if task != "all"]
    for number, (kind, color, found) in enumerate(points):
        places = np.arange(len(names)) + 0.2 * (number - (len(points) - 1) / 2)
        values = [found[name] for name in names]
        _plot_intervals(tasks, places, values, color=color, label=kind, linestyle="none")
    tasks.set_xticks(range(len(names)), [name.replace("_", "\n") for name in names], fontsize=8)
    reward.set(title="reward in training", xlabel="step")
    accuracy.set(title="accuracy on held-out problems", xlabel="step")
    tasks.set(title="accuracy by task, seed 1")
    for axes in (reward, accuracy, tasks):
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _plot_rewards(axes: Axes, rewards: Sequence[float], color: str, label: str | None) -> None:
    places = range(STEPS, len(rewards) + 1)
    windows = np.array([rewards[end - STEPS : end] for end in places]).reshape(-1, STEPS)
    means = windows.mean(-1)
    margins = 1.96 * windows.std(-1, ddof=1) / STEPS**0.5
    axes.plot(places, means, color=color, label=label)
    axes.fill_between(places, means - margins, means + margins, color=color, alpha=0.2)


def _plot_intervals(axes: Axes, places: Any, accuracies: Any, **style: Any) -> None:
    shown, low, high = np.array(accuracies).T
    margins = [shown - low, high - shown]
    axes.errorbar(places, shown, yerr=margins, marker="o", markersize=4, capsize=3, **style)
