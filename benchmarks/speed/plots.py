"""Plots of the results of benchmarks/throughput.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

BASELINE, OURS, SECOND = "#9a9a9a", "#2b6cb0", "#c05621"


def draw(result: dict[str, Any], folder: Path) -> list[Path]:
    """Write three plots into `folder` and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = {
        "throughput.png": _throughput(result),
        "start_and_memory.png": _start_and_memory(result),
        "growth.png": _growth(result["growth"]),
    }
    for name, figure in figures.items():
        figure.tight_layout()
        figure.savefig(folder / name, dpi=120)
        plt.close(figure)
    return [folder / name for name in figures]


def _label(bars: BarContainer, axes: Axes, form: str = "{:.0f}") -> None:
    """Write the height of each bar above it."""
    axes.bar_label(bars, labels=[form.format(bar.get_height()) for bar in bars], padding=2)
    axes.margins(y=0.15)


def _throughput(result: dict[str, Any]) -> Figure:
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
    speeds = result["groups_per_second"]
    names = [name.replace("workers_", "workers: ") for name in speeds]
    colours = [BASELINE, *[OURS] * (len(names) - 1)]
    _label(left.bar(names, list(speeds.values()), color=colours), left)
    left.set_title(f"Groups of 8 made and scored per second ({result['cores']} cores)")
    stalls = result["stalls"]
    places = range(len(stalls))
    for shift, when, colour in ((-0.2, "idle", BASELINE), (0.2, "busy", OURS)):
        heights = [stall[f"{when}_p999_ms"] for stall in stalls.values()]
        bars = right.bar([p + shift for p in places], heights, 0.38, color=colour, label=when)
        _label(bars, right, "{:.1f}")
    right.set_xticks(list(places), names[1:])
    right.set_title("Event loop: 99.9th percentile stall, ms")
    right.legend()
    return figure


def _start_and_memory(result: dict[str, Any]) -> Figure:
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
    start = result["start_seconds"]
    bars = left.bar(list(start), [times["first_item"] for times in start.values()], color=OURS)
    _label(bars, left, "{:.2f}")
    left.axhline(1.5, color=SECOND, linestyle="--", linewidth=1)
    left.set_title("Seconds from the end of imports to the first item")
    memory = result["memory_mb"]
    shown = {
        "reasoning-gym,\nimported": memory["reasoning_gym_imported"],
        "reasoning-gym,\nsame work": memory["reasoning_gym_after_the_same_work"],
        "largest\nworker": memory["largest_worker"],
        "environment,\nimported": memory["env_imported"],
        "environment,\nafter work": memory["env_after_work"],
    }
    colours = [BASELINE, BASELINE, OURS, BASELINE, OURS]
    _label(right.bar(list(shown), list(shown.values()), color=colours), right)
    right.tick_params(axis="x", labelsize=8)
    right.set_title("Resident memory, MiB")
    return figure


def _growth(growth: dict[str, list[dict[str, Any]]]) -> Figure:
    figure, rows = plt.subplots(2, len(growth), figsize=(3.4 * len(growth), 6))
    for column, (knob, runs) in enumerate(growth.items()):
        values = [run["value"] for run in runs]
        top, bottom = rows[0][column], rows[1][column]
        top.plot(values, [run["completions_per_second"] for run in runs], "o-", color=OURS)
        top.set_title("completions / s", fontsize=9)
        for what, colour in (("busy_p999_ms", OURS), ("busy_longest_ms", SECOND)):
            heights = [run["stalls"][what] for run in runs]
            bottom.plot(values, heights, "o-", color=colour, label=what.split("_")[1])
        bottom.set_title("stall of the event loop, ms", fontsize=9)
        bottom.set_xlabel(knob.replace("_", " "))
        bottom.legend(fontsize=8)
        for axes in (top, bottom):
            axes.set_xscale("log", base=2)
            axes.set_xticks(values, [str(value) for value in values])
            axes.minorticks_off()
            axes.set_ylim(0, 1.1 * max(max(line.get_ydata()) for line in axes.lines))
    return figure
