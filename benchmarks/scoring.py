"""Compare the time that scoring takes in this checkout with another one; prints one JSON object.

    git worktree add ../before COMMIT
    python benchmarks/scoring.py --against ../before [--tasks TASK ...] [--rounds 3]

Each checkout scores the same eight answers to three problems of each task through a pool of one
worker, as a run does. The two take turns, round by round. What a worker loads at a task's first
answer is left out. Prints:

    tasks         task -> milliseconds an answer here and there, and their ratio; fastest round
    median_ratio  the median of the ratios
    total_ratio   the ratio of the times of all tasks together
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(os.environ.get("SCORED_CHECKOUT", Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(ROOT))

SEEDS = (1, 2, 3)
REPEATS = 4


def main() -> None:
    """Print the comparison; in a child process, the times of one checkout."""
    if "SCORED_CHECKOUT" in os.environ:
        print(json.dumps(asyncio.run(_times(sys.argv[1:]))))
        return
    from benchmarks.harness import print_json

    options = parse_options()
    print_json(compare(options.against, options.tasks, options.rounds))


def parse_options(words: list[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    from benchmarks.harness import parser

    command = parser(__doc__)
    command.add_argument("--against", type=Path, required=True, help="folder of the other checkout")
    command.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all")
    command.add_argument("--rounds", type=int, default=3, help="measurements of each checkout")
    return command.parse_args(words)


def compare(other: Path, tasks: list[str] | None, rounds: int) -> dict[str, object]:
    """Return the times of both checkouts, by task, and their ratios."""
    from benchmarks.harness import run_python
    from rgenv.task_names import COMPOSITE, KNOWN_TASKS

    names = tasks or sorted(set(KNOWN_TASKS) - {COMPOSITE})
    folders = [Path(__file__).resolve().parents[1], other.resolve()]
    times: list[list[dict[str, float]]] = [[], []]
    for _ in range(rounds):
        for measured, folder in zip(times, folders, strict=True):
            child = {"SCORED_CHECKOUT": str(folder)}
            measured.append(run_python([__file__, *names], child))
    here, there = ({name: min(t[name] for t in column) for name in names} for column in times)
    ratios = {name: here[name] / there[name] for name in names}
    return {
        "tasks": {
            name: {
                "here_ms": round(here[name], 4),
                "there_ms": round(there[name], 4),
                "ratio": round(ratios[name], 2),
            }
            for name in names
        },
        "median_ratio": round(statistics.median(ratios.values()), 2),
        "total_ratio": round(sum(here.values()) / sum(there.values()), 2),
    }


async def _times(tasks: list[str]) -> dict[str, float]:
    """Return the milliseconds that an answer of each task takes in `ROOT`."""
    from rgenv.pool.pool import WorkerPool

    times = {}
    async with WorkerPool(workers=1, spares=0) as pool:
        for task in tasks:
            problems = [await pool.make(task, seed) for seed in SEEDS]
            work = [(problem, _answers(problem.answer or "7")) for problem in problems]
            rounds = []
            for _ in range(REPEATS):
                began = time.perf_counter()
                for problem, answers in work:
                    await pool.score(problem, answers)
                rounds.append(time.perf_counter() - began)
            scored = sum(len(answers) for _, answers in work)
            times[task] = statistics.median(rounds[1:]) / scored * 1000
    return times


def _answers(right: str) -> list[str]:
    """Return right answers, and wrong ones as models write them."""
    return [right, "x", "12", f"{right}0", "1 2 3", right, "Yes", "no idea"]


if __name__ == "__main__":
    main()
