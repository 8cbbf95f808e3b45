"""Does a model learn from this environment? Three seeds and a control; prints one JSON object.

    python benchmarks/learn.py [--seeds 1,2,3] [--plot docs/learning.png] [-- --steps 150]

Each seed is a run of its own of `python -m examples.learn.run`: weights, items and sampling differ.
The control begins with the first seed's warm-up and is the same in all, but that rewards are dealt
to the rollouts of their group by chance. Accuracy is that of sampled answers (temperature 1) to
held-out items, with the 95 % intervals of the environment's evaluation. What was finished in the
output folder is not run again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import fmean
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from matplotlib import pyplot as plt  # noqa: E402

from examples.learn.curve import accuracy_key, bars, read_metrics, smooth, tasks_of  # noqa: E402
from examples.learn.programs import TASK_CONFIGS  # noqa: E402
from examples.learn.trainer import read_rows  # noqa: E402

CONTROL = "control"
END = 10  # the last steps, over which ends are averaged
COLOURS = ("tab:blue", "tab:cyan", "tab:purple", "tab:olive", "tab:brown")


def run(folder: Path, words: list[str]) -> None:
    """One run, to its end; its own lines go to stderr."""
    done = folder / "minutes.json"
    if done.exists():
        return
    began = time.monotonic()
    command = [sys.executable, "-m", "examples.learn.run", "--output", str(folder), *words]
    code = subprocess.run(command, cwd=ROOT, stdout=sys.stderr).returncode
    if code:
        sys.exit(code)
    done.write_text(json.dumps(round((time.monotonic() - began) / 60, 1)))


def metrics_of(folder: Path) -> list[dict[str, Any]]:
    """Those before and after."""
    steps = sorted((folder / "evaluations").glob("step-*"))
    return [dict(read_metrics(steps[0])), dict(read_metrics(steps[-1]))]


def ends(folder: Path) -> dict[str, Any]:
    """Where a run began and where it ended."""
    before, after = metrics_of(folder)
    rows = read_rows(folder / "steps.jsonl", up_to=10**9)
    levelled = [task for task in tasks_of(after) if task not in TASK_CONFIGS]
    return {
        "steps": len(rows),
        "minutes": json.loads((folder / "minutes.json").read_text()),
        "accuracy": {
            task or "all": [interval(metrics, accuracy_key(task)) for metrics in (before, after)]
            for task in ("", *tasks_of(after))
        },
        "format_rate": [round(metrics["eval/format_rate"], 3) for metrics in (before, after)],
        "informative_share": [mean_of(rows[:END]), mean_of(rows[-END:])],
        "levels": {task: levels_of(rows, task) for task in levelled},
    }


def interval(metrics: dict[str, Any], key: str) -> list[float]:
    return [round(metrics[name], 3) for name in (key, f"{key}_low", f"{key}_high")]


def mean_of(rows: list[dict[str, Any]]) -> float:
    return round(fmean(row["informative"] for row in rows), 2)


def levels_of(rows: list[dict[str, Any]], task: str) -> list[float]:
    """At the first step, the lowest, and over the last steps."""
    levels = [row["levels"][task] for row in rows if task in row["levels"]]
    return [round(level, 2) for level in (levels[0], min(levels), fmean(levels[-END:]))]


def plot(folders: dict[str, Path], path: Path) -> None:
    """Reward, format and informative share, levels, held-out accuracy; a colour a run."""
    figure, grid = plt.subplots(2, 2, figsize=(9, 6.4), layout="constrained")
    for (name, folder), colour in zip(folders.items(), (*COLOURS, *COLOURS), strict=False):
        control = name == CONTROL
        style = {"color": "tab:red", "ls": "--"} if control else {"color": colour}
        rows = read_rows(folder / "steps.jsonl", up_to=10**9)
        steps = [row["step"] for row in rows]
        label = "control: shuffled rewards" if control else f"seed {name}"
        grid[0, 0].plot(steps, smooth([row["reward"] for row in rows]), label=label, **style)
        grid[0, 1].plot(steps, smooth([row["format_rate"] for row in rows]), **style)
        grid[0, 1].plot(steps, smooth([row["informative"] for row in rows]), alpha=0.5, **style)
        known = [row for row in rows if "spell_backward" in row["levels"]]
        levels = smooth([row["levels"]["spell_backward"] for row in known])
        grid[1, 0].plot([row["step"] for row in known], levels, **style)
    grid[0, 0].set(title="mean reward (the curriculum keeps it near its target)", ylim=(0, 1.02))
    grid[0, 1].set(title="format rate (top), share of informative groups", ylim=(0, 1.02))
    grid[1, 0].set(title="level of spell_backward in the curriculum", ylim=(0, 1.02))
    grid[0, 0].legend(fontsize=9)
    for axes in (grid[0, 0], grid[0, 1], grid[1, 0]):
        axes.set(xlabel="step")
        axes.grid(alpha=0.3)
    draw_accuracy(grid[1, 1], folders)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)


def draw_accuracy(axes: Any, folders: dict[str, Path]) -> None:
    before, after = zip(*map(metrics_of, folders.values()), strict=True)
    sides = {"warm-up": before, "after": after}
    bars(axes, [accuracy_key("")] * len(folders), sides, ("0.7", "tab:blue"))
    names = [name if name == CONTROL else f"seed {name}" for name in folders]
    axes.set_xticks(range(len(names)), names)
    axes.set(title="held-out accuracy, 95 % intervals")
    axes.grid(alpha=0.3, axis="y")
    axes.legend(fontsize=9, loc="upper center", ncols=2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--output", type=Path, default=ROOT / "learn_output" / "benchmark")
    parser.add_argument("--plot", type=Path, help="where the picture goes")
    parser.add_argument("words", nargs="*", help="after --: options of every run")
    options = parser.parse_args()
    seeds = options.seeds.split(",")
    folders = {name: options.output.resolve() / name for name in (*seeds, CONTROL)}
    for seed in seeds:
        run(folders[seed], ["--seed", seed, *options.words])
    same = ["--seed", seeds[0], "--warmup-from", str(folders[seeds[0]]), "--shuffle-rewards"]
    run(folders[CONTROL], [*same, *options.words])
    if options.plot:
        plot(folders, options.plot)
    print(json.dumps({name: ends(folder) for name, folder in folders.items()}, indent=2))


if __name__ == "__main__":
    main()
