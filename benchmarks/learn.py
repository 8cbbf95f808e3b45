"""Measure whether a model learns from this environment; prints one JSON object.

    python benchmarks/learn.py [--seeds 1,2,3] [--plot docs/learning.png] [-- --steps 150]

Each seed is one run of `python -m examples.learn.run` with its own weights, problems and sampling.
The control run uses the warm-up of the first seed and permutes the rewards within each group; all
else is the same. Accuracy is that of sampled answers (temperature 1) to held-out problems, with the
95 % intervals of the environment's evaluation. Runs that are complete in the output folder are not
repeated.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from benchmarks.harness import ROOT, Json, parser, print_json
from examples.learn.curve import (
    Metrics,
    Row,
    accuracy_key,
    levels_of,
    plot_bars,
    read_metrics,
    smooth,
    tasks_of,
)
from examples.learn.settings import TASK_CONFIGS
from examples.learn.trainer import read_rows

CONTROL = "control"
LAST_STEPS = 10
"""The number of steps over which the values at the end of a run are averaged."""

COLOURS = ("tab:blue", "tab:cyan", "tab:purple", "tab:olive", "tab:brown")
PLOTTED_TASK = "spell_backward"


def run_once(folder: Path, words: list[str]) -> None:
    """Do one run, unless it is complete. Its output goes to stderr."""
    complete = folder / "minutes.json"
    if complete.exists():
        return
    began = time.monotonic()
    command = [sys.executable, "-m", "examples.learn.run", "--output", str(folder), *words]
    code = subprocess.run(command, cwd=ROOT, stdout=sys.stderr).returncode
    if code:
        sys.exit(code)
    complete.write_text(json.dumps(round((time.monotonic() - began) / 60, 1)))


def results_of(folder: Path) -> Json:
    """Return the values of a run at its beginning and at its end."""
    sides, rows = metrics_of(folder), rows_of(folder)
    tasks = tasks_of(sides[1])
    return {
        "steps": len(rows),
        "minutes": json.loads((folder / "minutes.json").read_text()),
        "accuracy": {
            task or "all": [with_interval(metrics, accuracy_key(task)) for metrics in sides]
            for task in ("", *tasks)
        },
        "format_rate": [round(metrics["eval/format_rate"], 3) for metrics in sides],
        "informative_share": [
            round(fmean(row["informative"] for row in part), 2)
            for part in (rows[:LAST_STEPS], rows[-LAST_STEPS:])
        ],
        "levels": {
            task: level_range(levels_of(rows, task)[1])
            for task in tasks
            if task not in TASK_CONFIGS
        },
    }


def metrics_of(folder: Path) -> tuple[Metrics, Metrics]:
    steps = sorted((folder / "evaluations").glob("step-*"))
    return read_metrics(steps[0]), read_metrics(steps[-1])


def rows_of(folder: Path) -> list[Row]:
    return [*read_rows(folder / "steps.jsonl")]


def with_interval(metrics: Metrics, key: str) -> list[float]:
    return [round(metrics[name], 3) for name in (key, f"{key}_low", f"{key}_high")]


def level_range(levels: Sequence[float]) -> list[float]:
    return [round(level, 2) for level in (levels[0], min(levels), fmean(levels[-LAST_STEPS:]))]


def plot(folders: Mapping[str, Path], path: Path) -> None:
    """Plot rewards, format rates, informative shares, levels and accuracies; one colour a run."""
    figure, ((rewards, rates), (levels, accuracy)) = plt.subplots(
        2, 2, figsize=(9, 6.4), layout="constrained"
    )
    for (name, folder), colour in zip(folders.items(), (*COLOURS, *COLOURS), strict=False):
        is_control = name == CONTROL
        label = "control: shuffled rewards" if is_control else f"seed {name}"
        style = {"color": "tab:red", "ls": "--"} if is_control else {"color": colour}
        rows = rows_of(folder)
        steps = [row["step"] for row in rows]
        rewards.plot(steps, smooth([row["reward"] for row in rows]), label=label, **style)
        rates.plot(steps, smooth([row["format_rate"] for row in rows]), **style)
        rates.plot(steps, smooth([row["informative"] for row in rows]), alpha=0.5, **style)
        level_steps, task_levels = levels_of(rows, PLOTTED_TASK)
        levels.plot(level_steps, smooth(task_levels), **style)
    rewards.set(title="mean reward (the curriculum keeps it near its target)")
    rewards.legend(fontsize=9)
    rates.set(title="format rate (top), share of informative groups")
    levels.set(title=f"level of {PLOTTED_TASK} in the curriculum")
    for axes in (rewards, rates, levels):
        axes.set(xlabel="step", ylim=(0, 1.02))
        axes.grid(alpha=0.3)
    plot_accuracy(accuracy, folders)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)


def plot_accuracy(axes: Axes, folders: Mapping[str, Path]) -> None:
    before, after = zip(*map(metrics_of, folders.values()), strict=True)
    sides = {"warm-up": before, "after": after}
    plot_bars(axes, [accuracy_key("")] * len(folders), sides, ("0.7", "tab:blue"))
    names = [name if name == CONTROL else f"seed {name}" for name in folders]
    axes.set_xticks(range(len(names)), names)
    axes.set(title="held-out accuracy, 95 % intervals")
    axes.grid(alpha=0.3, axis="y")
    axes.legend(fontsize=9, loc="upper center", ncols=2)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--seeds", default="1,2,3")
    arguments.add_argument("--output", type=Path, default=ROOT / "learn_output" / "benchmark")
    arguments.add_argument("--plot", type=Path, help="PNG file to write")
    arguments.add_argument("words", nargs="*", help="after --: options of every run")
    options = arguments.parse_args()
    seeds = options.seeds.split(",")
    folders = {name: options.output.resolve() / name for name in (*seeds, CONTROL)}
    for seed in seeds:
        run_once(folders[seed], ["--seed", seed, *options.words])
    same = ["--seed", seeds[0], "--warmup-from", str(folders[seeds[0]]), "--shuffle-rewards"]
    run_once(folders[CONTROL], [*same, *options.words])
    if options.plot:
        plot(folders, options.plot)
    print_json({name: results_of(folder) for name, folder in folders.items()})


if __name__ == "__main__":
    main()
