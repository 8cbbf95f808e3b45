"""Compare strategies of choosing tasks in a simulation; prints one JSON object.

    python benchmarks/sampling.py [--seeds 5] [--tokens 2e8] [--plot sampling_simulation.png]

Every strategy spends the same number of tokens on the same learners; benchmarks/simulation/ says
how they learn, which its authors wrote down: no model is trained, so a figure of this program shows
that a strategy does what it is meant to, not that it trains better. benchmarks/learning/ trains
models. Many groups are generated at the same time, and those of short completions come back
first. Reported for each strategy are

- the share of completion tokens that carry gradient: not cut, in groups whose other rewards differ,
- the share of completions that are cut, and the share of tasks where, in the last quarter of the
  run, more than half are,
- the mean skill at the end,
- the smallest share of groups that a task had, relative to uniform sampling,

and a comparison of the environment's sampler with the reference's rule and with two oracles.
"""

from __future__ import annotations

import heapq
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from tqdm import tqdm

from benchmarks.harness import Json, parser, print_json
from benchmarks.simulation.learner import COLLAPSE_AT, KINDS, TASKS, Learner, Outcome
from benchmarks.simulation.strategies import GROUP_SIZE, STRATEGIES

IN_FLIGHT = 64
"""Groups that are generated at the same time."""

POINTS = 40
"""Points of a curve over the tokens spent."""

SIGNAL, REFERENCE = "signal, curriculum to 0.5", "reference"
ORACLE, GREEDY = "oracle sampler", "greedy oracle"
PLOTTED = {
    "greedy oracle": ("0.6", "--"),
    "signal, curriculum to 0.5": ("tab:red", "-"),
    "signal, none": ("tab:orange", "-"),
    "uniform, curriculum": ("tab:blue", "-"),
    "uniform, stepwise": ("tab:cyan", "-"),
    "reference": ("black", ":"),
}
"""Strategy -> colour and line style."""

Runs = dict[tuple[str, str], list[Json]]
"""Kind of learner, strategy -> the results of each seed."""


def simulate(strategy_name: str, kind: str, seed: int, budget: float) -> Json:
    """Train one learner with one strategy until `budget` tokens are spent."""
    learner = Learner(kind, seed)
    strategy = STRATEGIES[strategy_name](learner, seed)
    in_flight: list[tuple[float, int, str, float | None, Outcome]] = []
    now = 0.0
    asked: Counter[str] = Counter()
    size: Counter[str] = Counter()
    cut: Counter[str] = Counter()
    all_cut = 0
    used, useful = np.zeros(POINTS), np.zeros(POINTS)
    skills, spent, groups = [float(learner.skills().mean())], 0.0, 0
    while spent < budget:
        point = int(POINTS * spent / budget)
        if point == len(skills):
            skills.append(float(learner.skills().mean()))
        if spent > COLLAPSE_AT * budget:
            learner.collapse()
        task, level = strategy.choose(groups)
        outcome = learner.answer(task, level, GROUP_SIZE)
        spent, groups = spent + outcome.tokens, groups + 1
        used[point] += outcome.tokens
        useful[point] += outcome.gradient_tokens
        asked[task] += 1
        all_cut += outcome.cut
        if spent > 0.75 * budget:
            size[task] += outcome.size
            cut[task] += outcome.cut
        heapq.heappush(in_flight, (now + outcome.longest, groups, task, level, outcome))
        if len(in_flight) > IN_FLIGHT:
            now, _, of, at, came = heapq.heappop(in_flight)
            strategy.observe(of, at, came)
    return {
        "gradient_tokens": useful.sum() / used.sum(),
        "cut": all_cut / groups / GROUP_SIZE,
        "mostly_cut": sum(cut[task] > size[task] / 2 for task in size) / len(TASKS),
        "final_skill": float(learner.skills().mean()),
        "least_share": min(asked[task] for task in TASKS) * len(TASKS) / groups,
        "groups": groups,
        "curve": (useful / used).tolist(),
        "skills": skills,
    }


def all_runs(seeds: int, budget: float) -> tuple[Runs, float]:
    """Run every strategy on every learner.

    Returns:
        The results, and how many groups a core simulates in a minute.
    """
    jobs = [(s, k, seed, budget) for k in KINDS for s in STRATEGIES for seed in range(seeds)]
    began, cores = time.perf_counter(), os.cpu_count() or 1
    with ProcessPoolExecutor(cores) as executor:
        futures = [executor.submit(simulate, *job) for job in jobs]
        results = [f.result() for f in tqdm(futures, desc="learners", mininterval=10)]
    minutes = (time.perf_counter() - began) / 60
    runs: Runs = {}
    for (strategy, kind, _, _), result in zip(jobs, results, strict=True):
        runs.setdefault((kind, strategy), []).append(result)
    return runs, sum(r["groups"] for r in results) / minutes / min(cores, len(jobs))


def mean(results: list[Json], name: str) -> Any:
    """Return the mean over the seeds of a number, or of a curve point by point."""
    return np.mean([result[name] for result in results], axis=0)


def table(runs: Runs) -> Json:
    """Return kind of learner -> strategy -> means over the seeds."""
    names = ("gradient_tokens", "cut", "mostly_cut", "final_skill", "least_share", "groups")
    return {
        kind: {
            strategy: {name: round(float(mean(runs[kind, strategy], name)), 3) for name in names}
            for strategy in STRATEGIES
        }
        for kind in KINDS
    }


def comparison(by_kind: Json) -> Json:
    """Return ratios of `SIGNAL` to other strategies, for each kind of learner and on average.

    Args:
        by_kind: the result of `table`.
    """
    names = {"times_reference": REFERENCE, "of_oracle": ORACLE, "of_greedy_oracle": GREEDY}
    result: Json = {}
    for kind, rows in by_kind.items():
        ours = rows[SIGNAL]
        result[kind] = {
            name: round(ours["gradient_tokens"] / rows[other]["gradient_tokens"], 3)
            for name, other in names.items()
        }
        result[kind]["best_final_skill"] = max(rows, key=lambda name: rows[name]["final_skill"])
        result[kind]["least_share"] = ours["least_share"]
    means = {name: np.mean([row[name] for row in result.values()]) for name in names}
    return {**result, "mean": {name: round(float(value), 3) for name, value in means.items()}}


def plot(runs: Runs, path: Path) -> None:
    """Draw tokens with gradient (top row) and skill (bottom row) over the tokens spent."""
    figure, axes = plt.subplots(2, len(KINDS), figsize=(12, 5.6), sharex=True, sharey="row")
    share_of_budget = (np.arange(POINTS) + 0.5) / POINTS
    for column, kind in zip(axes.T, KINDS, strict=True):
        column[0].set_title(f"{kind} learner")
        for name, (color, style) in PLOTTED.items():
            look = {"color": color, "linestyle": style, "linewidth": 1.6, "label": name}
            column[0].plot(share_of_budget, mean(runs[kind, name], "curve"), **look)
            column[1].plot(share_of_budget, mean(runs[kind, name], "skills"), **look)
        for axis in column:
            axis.spines[["top", "right"]].set_visible(False)
            axis.grid(axis="y", color="0.9")
        column[1].set_xlabel("share of the tokens spent")
    axes[0, 0].set_ylabel("tokens that carry gradient")
    axes[0, 0].set_ylim(0, 1)
    axes[1, 0].set_ylabel("mean skill (logits)")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(PLOTTED), frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main() -> None:
    command_line = parser(__doc__)
    command_line.add_argument("--seeds", type=int, default=5, help="learners of each kind")
    command_line.add_argument("--tokens", type=float, default=2e8, help="tokens of each run")
    command_line.add_argument("--plot", type=Path, help="where to draw a plot (PNG)")
    options = command_line.parse_args()
    runs, speed = all_runs(options.seeds, options.tokens)
    by_kind = table(runs)
    if options.plot:
        plot(runs, options.plot)
    print_json(
        {
            "seeds": options.seeds,
            "tokens": options.tokens,
            "group_size": GROUP_SIZE,
            "groups_a_minute_and_core": round(speed),
            "compared": SIGNAL,
            "verdict": comparison(by_kind),
            "kinds": by_kind,
        }
    )


if __name__ == "__main__":
    main()
