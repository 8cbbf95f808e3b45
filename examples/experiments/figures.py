"""Draw what docs/evidence.md shows, and print its numbers.

    python -m examples.experiments.figures            # docs/data -> docs/*.png

Intervals are those of Student's t over seeds, at 95 %; differences are paired by seed.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from scipy import stats

matplotlib.use("Agg")
from matplotlib import pyplot as plt

from .run import EVERY, SOUND

DOCS = Path(__file__).parents[2] / "docs"
OURS, LIBRARY = "tab:blue", "tab:red"
SIDES = (("library", LIBRARY, -0.2), ("hardened", OURS, 0.2))
SAID = {
    "one answer paid": 'the answer "0" is paid in so many of the problems',
    "random paid": "so many of the wrong answers are paid, at random",
    "some answers refused": "right answers are refused if early in the alphabet",
    "random refused": "so many of the right answers are refused, at random",
}
Lines = list[dict[str, Any]]


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and half the width of its interval."""
    reach = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    return float(np.mean(values)), float(reach)


def shown(*columns: Sequence[float]) -> str:
    """Return mean and interval of each column, and of the last minus the first."""
    pairs = zip(columns[0], columns[-1], strict=True)
    every = [*columns, [last - first for first, last in pairs]] if len(columns) > 1 else columns
    return " | ".join("{:.3f} ± {:.3f}".format(*interval(column)) for column in every)


def verifiers(lines: Lines) -> None:
    pairs = _pairs(lines, ("verifiers", "mixed"), 3)
    figure, places = plt.subplots(2, 3, figsize=(11, 6), layout="constrained", sharey=True)
    for axes, (tasks, pair) in zip(places.flat, pairs.items(), strict=False):
        for verifier, key, colour, style in (
            ("library", "paid", LIBRARY, "--"),
            ("library", "right", LIBRARY, "-"),
            ("ours", "right", OURS, "-"),
        ):
            means, halves = _columns(pair[verifier][key])
            steps = EVERY * (np.arange(len(means)) + 0.5)
            what = "reward as the run sees it" if key == "paid" else "right"
            axes.plot(steps, means, style, color=colour, label=f"{verifier}: {what}")
            axes.fill_between(steps, means - halves, means + halves, color=colour, alpha=0.2)
        axes.set(title=tasks[0] if len(tasks) == 1 else "all of these and three sound tasks")
        axes.set(xlabel="steps of GRPO", ylabel="share of the answers", ylim=(0, 1.02))
        print("\nverifiers", *tasks, "(library's, ours, difference)")
        for key in ("paid", "right"):
            print(f"{key:15}", shown(*(pair[v][key][-1] for v in ("library", "ours"))))
        for task in tasks:
            ends = [pair[v]["held_out"][-1][task] for v in ("library", "ours")]
            print(f"held out {task}{' (sound)' * (task in SOUND)}", shown(*ends))
    figure.legend(*places.flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    _save(figure, "verifiers")


def damage(lines: Lines) -> None:
    found = {tuple(line["arm"][4:]): line for line in lines if line["arm"][0] == "damage"}
    [task] = found["none", 0]["arm"][1]
    held = {arm: [each[task] for each in line["held_out"]] for arm, line in found.items()}
    before, *_, clean = held["none", 0]
    figure, places = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained", sharey=True)
    for axes, kind in zip(places, ("paid", "refused"), strict=True):
        for name in sorted({name for name, _ in found if kind in name}):
            rates = sorted(rate for other, rate in found if other == name)
            ends = [held[name, rate][-1] for rate in rates]
            colour = OURS if "random" in name else LIBRARY
            points = [0, *rates], *_columns([clean, *ends])
            axes.errorbar(*points, color=colour, marker="o", label=SAID[name])
            for rate, end in zip(rates, ends, strict=True):
                paid = shown(found[name, rate]["paid"][-1])
                print(f"damage {name:22} {rate:3}", paid, "|", shown(clean, end))
        axes.axhline(interval(before)[0], color="gray", ls=":", label="before GRPO")
        axes.set(title=f"wrongly {kind}", xlabel="percent", ylim=(0, 1.02))
        axes.set_ylabel("right, held out")
        axes.legend(fontsize=8, loc="lower left")
    _save(figure, "damage")


def problems(lines: Lines) -> None:
    pairs = _pairs(lines, ("problems",), 2)
    figure, places = plt.subplots(1, len(pairs), figsize=(11, 4.5), layout="constrained")
    for axes, ((task,), pair) in zip(places, pairs.items(), strict=True):
        tests = [(test, "accuracy") for test in pair["library"]["tests"]]
        tests.insert(2, ("hardened", "where_wrong"))
        for source, colour, shift in SIDES:
            means, halves = _columns([pair[source]["tests"][test][key] for test, key in tests])
            places_of = np.arange(len(tests)) + shift
            axes.bar(places_of, means, 0.4, yerr=halves, color=colour, label=f"trained on {source}")
        names = [test + ",\nprogram wrong" * (key == "where_wrong") for test, key in tests]
        axes.set_xticks(range(len(tests)), names, rotation=90, fontsize=9)
        axes.set(title=task, ylim=(0, 1.02), ylabel="right, held out")
        for test, row in pair["library"]["tests"].items():
            print(f"\nproblems {task}, {test}: program", row["program"], "(library, hardened)")
            for key in ("accuracy", "where_wrong", "as_program"):
                ends = [pair[source]["tests"][test][key] for source, _, _ in SIDES]
                before = shown(pair["library"]["tests_before"][test][key])
                print(f"{key:12} before", before, "|", shown(*ends))
    figure.legend(*places[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    _save(figure, "hardened")


def _pairs(lines: Lines, groups: Sequence[str], field: int) -> dict[Any, dict[str, Any]]:
    """Return by tasks the two arms that differ in one field."""
    found: dict[Any, dict[str, Any]] = {}
    for line in lines:
        if line["arm"][0] in groups:
            found.setdefault(tuple(line["arm"][1]), {})[line["arm"][field]] = line
    return {tasks: pair for tasks, pair in found.items() if len(pair) == 2}


def _columns(rows: Iterable[Sequence[float]]) -> tuple[Any, Any]:
    means, halves = zip(*map(interval, rows), strict=True)
    return np.array(means), np.array(halves)


def _save(figure: Any, name: str) -> None:
    for axes in figure.axes:
        axes.grid(alpha=0.3)
    figure.savefig(DOCS / f"{name}.png", dpi=100)
    plt.close(figure)


if __name__ == "__main__":
    text = (DOCS / "data" / "learners.jsonl").read_text()
    for draw in (verifiers, damage, problems):
        draw([json.loads(line) for line in text.splitlines()])
