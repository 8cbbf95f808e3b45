"""The report: what each arm reached, and how it compares with uniform sampling on the same seeds.

Intervals are 95 % t intervals over seeds. A difference is paired: the same seed, so the same warm
weights and held-out problems. Of runs with several fingerprints, the last one of each arm and seed
counts. Values are means over seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from benchmarks.learning.arms.taught import TAUGHT
from benchmarks.learning.results import Run, primary, read
from benchmarks.learning.tasks import LEVELS, PRIMARY, TASKS

LEARNABLE = ("mastered", *TAUGHT)
BASELINES = ("uniform_curriculum", "uniform")
FIXED_SKILLS = (0.4, 0.5, 0.6)
"""Accuracies in the tasks that training can teach; the tokens to reach them are reported. In the
others, a constant answer is luckier among the few problems of a checkpoint than among all."""

T_975 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
"""The 97.5th percentile of Student's t distribution for 1, 2, ... degrees of freedom."""

Json = dict[str, Any]


def report(path: Path, plot: Path | None = None) -> Json:
    """Return the report of a file of results, and draw it."""
    runs: dict[str, dict[int, Run]] = {}
    for run in read(path):
        runs.setdefault(run["arm"], {})[run["seed"]] = run
    if plot is not None:
        draw(runs, plot)
    return {
        "primary": PRIMARY,
        "intervals": "95 %, t distribution over seeds; differences are paired by seed",
        "seeds that did not start alike": _unlike(runs),
        "arms": {arm: _arm(own) for arm, own in sorted(runs.items())},
        "differences": {
            f"{measure} less {baseline}": {
                arm: paired(own, runs[baseline], MEASURES[measure])
                for arm, own in sorted(runs.items())
                if arm != baseline
            }
            for measure in MEASURES
            for baseline in BASELINES
            if baseline in runs
        },
    }


def _unlike(runs: Mapping[str, Mapping[int, Run]]) -> list[int]:
    """Return the seeds whose arms had different accuracies before the first step.

    Other processors round differently: warm weights that were made on two machines are not equal.
    """
    starts: dict[int, list[Any]] = {}
    for own in runs.values():
        for seed, run in own.items():
            starts.setdefault(seed, []).append(run["before"])
    return sorted(seed for seed, some in starts.items() if any(one != some[0] for one in some))


def last(run: Run) -> Mapping[str, Sequence[float]]:
    """Return the accuracies at the end: task -> one for each level."""
    accuracy: Mapping[str, Sequence[float]] = run["after"]
    return accuracy


def _trained(run: Run) -> dict[str, float]:
    return {task: fmean(levels[: len(LEVELS)]) for task, levels in last(run).items()}


def _gains(run: Run) -> dict[str, float]:
    first = run["before"]
    return {
        task: value - fmean(first[task][: len(LEVELS)]) for task, value in _trained(run).items()
    }


def _worst_gain(run: Run) -> float:
    """Return the least gain of any task: how much the worst one forgot."""
    return min(_gains(run).values())


def _harder(run: Run) -> float:
    return fmean(levels[-1] for levels in last(run).values())


def learnable(accuracy: Mapping[str, Sequence[float]]) -> float:
    """Return the mean over the tasks that training can teach, and the levels of training."""
    chosen = {task: levels for task, levels in accuracy.items() if TASKS[task].kind in TAUGHT}
    return primary(chosen)


def _worst(run: Run) -> float:
    values = _trained(run).items()
    return min(value for task, value in values if TASKS[task].kind in LEARNABLE)


MEASURES: Mapping[str, Callable[[Run], float]] = {
    "mean": lambda run: primary(last(run)),
    "learnable tasks": lambda run: learnable(last(run)),
    "worst learnable task": _worst,
    "worst gain of a task": _worst_gain,
    "harder level": _harder,
}


TITLES = {"mean": "all tasks", "learnable tasks": "tasks that can be taught"}
"""Measures that are drawn -> what they are about."""


def tokens_to(run: Run, skill: float) -> float | None:
    """Return the tokens at which `learnable` reaches a skill; None if it never does.

    The curve is linear between checkpoints, which have fewer held-out problems than the end.
    """
    before: tuple[float, float] | None = None
    for point in run["checkpoints"]:
        tokens, now = point["tokens"], learnable(point["accuracy"])
        if now >= skill:
            if before is None:
                return float(tokens)
            share = (skill - before[1]) / (now - before[1])
            return float(before[0] + share * (tokens - before[0]))
        before = tokens, now
    return None


def _arm(runs: Mapping[int, Run]) -> Json:
    own = list(runs.values())
    groups = [sum(run["groups"].values()) for run in own]
    result: Json = {"seeds": len(own), "fingerprints": sorted({run["fingerprint"] for run in own})}
    result |= {name: interval([measure(run) for run in own]) for name, measure in MEASURES.items()}
    result["at the start"] = round(fmean(primary(r["before"]) for r in own), 4)
    result["informative groups"] = round(
        fmean(run["informative_groups"] / count for run, count in zip(own, groups, strict=True)), 3
    )
    result["tokens to"] = {str(skill): _tokens(own, skill) for skill in FIXED_SKILLS}
    result |= {"tasks": {}, "share of groups": {}}
    for task in last(own[0]):
        shares = [r["groups"].get(task, 0) / n for r, n in zip(own, groups, strict=True)]
        result["tasks"][task] = round(fmean(_trained(r)[task] for r in own), 3)
        result["share of groups"][task] = round(fmean(shares), 3)
    result["seconds"] = round(fmean(run["seconds"] for run in own), 1)
    return result


def _tokens(runs: Sequence[Run], skill: float) -> Json:
    reached = [tokens for run in runs if (tokens := tokens_to(run, skill)) is not None]
    mean = round(fmean(reached)) if reached else None
    return {"mean of those that reach it": mean, "reached": f"{len(reached)} of {len(runs)}"}


def interval(values: Sequence[float]) -> Json:
    """Return the mean of some values and its 95 % interval; None for one value alone."""
    mean = fmean(values)
    if len(values) < 2:
        return {"mean": round(mean, 4), "interval": None}
    half = T_975[min(len(values) - 1, len(T_975)) - 1] * stdev(values) / len(values) ** 0.5
    return {"mean": round(mean, 4), "interval": [round(mean - half, 4), round(mean + half, 4)]}


def paired(
    runs: Mapping[int, Run], baseline: Mapping[int, Run], measure: Callable[[Run], float]
) -> Json:
    """Return the mean difference over the seeds that both have, with its interval."""
    both = sorted(runs.keys() & baseline.keys())
    if not both:
        return {"seeds": 0}
    differences = [measure(runs[seed]) - measure(baseline[seed]) for seed in both]
    return {"seeds": len(both), **interval(differences)}


def draw(runs: Mapping[str, Mapping[int, Run]], path: Path) -> None:
    """Draw the curves of arms, and their differences from the baseline in two measures.

    Arms with less than half of the most seeds are left out: their means are of other seeds.
    """
    most = max(map(len, runs.values()), default=0)
    drawn = {arm: own for arm, own in runs.items() if len(own) >= most / 2}
    arms = sorted(drawn, key=lambda arm: fmean(primary(last(run)) for run in drawn[arm].values()))
    turbo = plt.get_cmap("turbo")
    colours = {arm: turbo(0.05 + 0.9 * n / max(1, len(arms) - 1)) for n, arm in enumerate(arms)}
    figure, (curves, *panels) = plt.subplots(1, 3, figsize=(15, 6), width_ratios=(5, 4, 4))
    for arm in arms:
        own = list(drawn[arm].values())
        length = min(len(run["checkpoints"]) for run in own)
        x = [fmean(run["checkpoints"][n]["tokens"] for run in own) / 1000 for n in range(length)]
        y = [fmean(learnable(r["checkpoints"][n]["accuracy"]) for r in own) for n in range(length)]
        curves.plot(x, y, color=colours[arm], label=f"{arm} ({len(own)})", linewidth=1.5)
    curves.set_xlabel("completion tokens, thousands")
    curves.set_ylabel("held-out accuracy")
    curves.set_title(TITLES["learnable tasks"], fontsize=10)
    curves.legend(fontsize=8, title="arm (seeds)", reverse=True)
    panels[1].sharex(panels[0])
    for axis, (measure, title) in zip(panels, TITLES.items(), strict=True):
        _draw_differences(axis, drawn, arms, colours, MEASURES[measure])
        axis.set_title(title, fontsize=10)
        axis.set_xlabel(f"at the end, less {BASELINES[0]}, 95 %")
    panels[1].set_yticklabels([])
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _draw_differences(
    axis: Axes,
    runs: Mapping[str, Mapping[int, Run]],
    arms: Sequence[str],
    colours: Mapping[str, Any],
    measure: Callable[[Run], float],
) -> None:
    """Draw an interval for each arm, one above the other."""
    for number, arm in enumerate(arms):
        difference = paired(runs[arm], runs.get(BASELINES[0], {}), measure)
        if difference["seeds"] > 1:
            axis.plot(difference["interval"], [number] * 2, color=colours[arm], linewidth=3)
            axis.plot(difference["mean"], number, "o", color=colours[arm])
    axis.axvline(0, color="0.5", linewidth=1)
    axis.set_yticks(range(len(arms)), arms, fontsize=8)
