"""What choosing tasks by their learning signal buys, on simulated learners; prints one JSON object.

    python benchmarks/sampling.py [--seeds 5] [--tokens 2e8] [--plot sampling.png]

Every strategy gets the same tokens for the same learners (benchmarks/simulation says how they
learn). Reported for each: the share of completion tokens in informative groups, the mean skill at
the end, the smallest share of groups that a task had of what uniform sampling gives it, and over
all: how the recommended setting compares with the reference's rule and the oracle. Groups come
back after a delay, as they do when many are generated at once.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter, deque
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from tqdm import tqdm  # noqa: E402

from benchmarks.simulation.learner import COLLAPSE_AT, KINDS, TASKS, Learner  # noqa: E402
from benchmarks.simulation.strategies import GROUP_SIZE, STRATEGIES  # noqa: E402

IN_FLIGHT = 64
POINTS = 40
RECOMMENDED, REFERENCE = "signal, curriculum to 0.5", "reference"
ORACLE, GREEDY = "oracle sampler", "greedy oracle"
SHOWN = {
    "greedy oracle": ("0.6", "--"),
    "signal, curriculum to 0.5": ("tab:red", "-"),
    "signal, none": ("tab:orange", "-"),
    "uniform, curriculum": ("tab:blue", "-"),
    "uniform, none": ("tab:cyan", "-"),
    "reference": ("black", ":"),
}


def simulate(strategy_name: str, kind: str, seed: int, budget: float) -> dict[str, Any]:
    """One learner, asked by one strategy until its tokens are spent."""
    learner = Learner(kind, seed)
    strategy = STRATEGIES[strategy_name](learner, seed)
    waiting: deque[tuple[str, float | None, Any]] = deque()
    asked: Counter[str] = Counter()
    used, useful = np.zeros(POINTS), np.zeros(POINTS)
    skills, spent, groups = [float(learner.skills().mean())], 0.0, 0
    while spent < budget:
        point = int(POINTS * spent / budget)
        if point == len(skills):
            skills.append(float(learner.skills().mean()))
        if spent > COLLAPSE_AT * budget:
            learner.collapse()
        task, level = strategy.ask(groups)
        outcome = learner.answer(task, level, GROUP_SIZE)
        spent, groups = spent + outcome.tokens, groups + 1
        used[point] += outcome.tokens
        useful[point] += outcome.tokens * outcome.informative
        asked[task] += 1
        waiting.append((task, level, outcome))
        if len(waiting) > IN_FLIGHT:
            strategy.hear(*waiting.popleft())
    return {
        "informative_tokens": useful.sum() / used.sum(),
        "final_skill": float(learner.skills().mean()),
        "least_share": min(asked[task] for task in TASKS) * len(TASKS) / groups,
        "groups": groups,
        "curve": (useful / used).tolist(),
        "skills": skills,
    }


def all_runs(seeds: int, budget: float) -> tuple[dict[tuple[str, str], list[dict]], float]:
    """Every strategy on every learner; and how many groups a core simulates in a minute."""
    jobs = [(s, k, seed, budget) for k in KINDS for s in STRATEGIES for seed in range(seeds)]
    began, cores = time.perf_counter(), os.cpu_count() or 1
    with ProcessPoolExecutor(cores) as executor:
        futures = [executor.submit(simulate, *job) for job in jobs]
        results = [f.result() for f in tqdm(futures, desc="learners", mininterval=10)]
    minutes = (time.perf_counter() - began) / 60
    runs: dict[tuple[str, str], list[dict]] = {}
    for (strategy, kind, _, _), result in zip(jobs, results, strict=True):
        runs.setdefault((kind, strategy), []).append(result)
    return runs, sum(r["groups"] for r in results) / minutes / min(cores, len(jobs))


def mean(results: list[dict], name: str) -> Any:
    """Over the seeds; of a curve, point by point."""
    return np.mean([result[name] for result in results], axis=0)


def table(runs: dict[tuple[str, str], list[dict]]) -> dict[str, Any]:
    """kind -> strategy -> means over the seeds."""
    names = ("informative_tokens", "final_skill", "least_share", "groups")
    return {
        kind: {
            strategy: {name: round(float(mean(runs[kind, strategy], name)), 3) for name in names}
            for strategy in STRATEGIES
        }
        for kind in KINDS
    }


def verdict(by_kind: dict[str, Any]) -> dict[str, Any]:
    """The recommended setting against the rest, for each kind of learner."""
    out = {}
    for kind, rows in by_kind.items():
        ours = rows[RECOMMENDED]
        best = max(rows, key=lambda name: rows[name]["final_skill"])
        out[kind] = {
            "times_reference": round(
                ours["informative_tokens"] / rows[REFERENCE]["informative_tokens"], 3
            ),
            "of_oracle": round(ours["informative_tokens"] / rows[ORACLE]["informative_tokens"], 3),
            "of_greedy_oracle": round(
                ours["informative_tokens"] / rows[GREEDY]["informative_tokens"], 3
            ),
            "best_final_skill": best,
            "least_share": ours["least_share"],
        }
    names = ("times_reference", "of_oracle", "of_greedy_oracle")
    out["mean"] = {n: round(float(np.mean([row[n] for row in out.values()])), 3) for n in names}
    return out


def plot(runs: dict[tuple[str, str], list[dict]], path: Path) -> None:
    """Above: informative tokens while they are spent. Below: what was learned."""
    figure, axes = plt.subplots(2, len(KINDS), figsize=(12, 5.6), sharex=True, sharey="row")
    share_of_budget = (np.arange(POINTS) + 0.5) / POINTS
    for column, kind in zip(axes.T, KINDS, strict=True):
        column[0].set_title(f"{kind} learner")
        for name, (color, style) in SHOWN.items():
            look = {"color": color, "linestyle": style, "linewidth": 1.6, "label": name}
            column[0].plot(share_of_budget, mean(runs[kind, name], "curve"), **look)
            column[1].plot(share_of_budget, mean(runs[kind, name], "skills"), **look)
        for axis in column:
            axis.spines[["top", "right"]].set_visible(False)
            axis.grid(axis="y", color="0.9")
        column[1].set_xlabel("share of the tokens spent")
    axes[0, 0].set_ylabel("tokens in informative groups")
    axes[0, 0].set_ylim(0, 1)
    axes[1, 0].set_ylabel("mean skill (logits)")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(SHOWN), frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="learners of each kind")
    parser.add_argument("--tokens", type=float, default=2e8, help="completion tokens of each run")
    parser.add_argument("--plot", type=Path, help="where to draw it (PNG)")
    options = parser.parse_args()
    runs, speed = all_runs(options.seeds, options.tokens)
    by_kind = table(runs)
    if options.plot:
        plot(runs, options.plot)
    print(
        json.dumps(
            {
                "seeds": options.seeds,
                "tokens": options.tokens,
                "group_size": GROUP_SIZE,
                "groups_a_minute_and_core": round(speed),
                "recommended": RECOMMENDED,
                "verdict": verdict(by_kind),
                "kinds": by_kind,
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
