"""Count the library's wrong reference answers, before and after our corrections.

Each reference answer is compared with one that benchmarks/label_checks/ finds independently, both
as the library made it and as rgenv/tasks/ corrected it. Prints one JSON object with, for
each level and task:

    items                               entries checked
    wrong_before, wrong_after           reference answers that are wrong
    undecided_before, undecided_after   entries that the check cannot decide
    failed                              entries that the check does not understand
    remade                              entries that the correction discards
    mended                              entries that the correction changes
    answers_before, answers_after       the share of each answer, if there are at most four
    wrong_seeds                         the first seeds with a wrong reference answer
    correction_ms, seconds              the time of one correction, and of the whole task

Examples::

    python benchmarks/labels.py                               every task that has a check
    python benchmarks/labels.py --tasks syllogism --items 500
    python benchmarks/labels.py --levels 0 0.5 1              at levels, not the defaults
"""

from __future__ import annotations

import argparse
import contextlib
import decimal
import io
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy  # noqa: E402
import reasoning_gym  # noqa: E402

from benchmarks.label_checks import CHECKS  # noqa: E402
from benchmarks.label_checks.shared import Entry, Verdict  # noqa: E402
from rgenv.worker.levels import level_config  # noqa: E402
from rgenv.worker.problem_maker import corrected  # noqa: E402

Record = dict[str, Any]

MAX_WRONG_SEEDS = 5
"""Seeds of wrong reference answers to list for a task."""


def main() -> int:
    """Return 0 if no reference answer is wrong after correction and no check failed, else 1."""
    options = parse_options()
    levels = {
        "default" if level is None else f"{level:g}": {
            task: check_task(task, level, options) for task in options.tasks or CHECKS
        }
        for level in options.levels
    }
    print(json.dumps({"reasoning_gym": version("reasoning-gym"), "levels": levels}, indent=1))
    records = [record for tasks in levels.values() for record in tasks.values()]
    return int(any(record["wrong_after"] or record["failed"] for record in records))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Count wrong reference answers by an independent check of each."
    )
    parser.add_argument(
        "--tasks", nargs="+", metavar="TASK", choices=CHECKS, help="default: all with a check"
    )
    parser.add_argument("--items", type=int, default=10_000, help="entries of each task")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first entry")
    parser.add_argument(
        "--levels",
        nargs="+",
        type=float,
        default=[None],
        metavar="LEVEL",
        help="default: the tasks' default parameters",
    )
    parser.add_argument("--seconds", type=float, default=300.0, help="time limit of each task")
    return parser.parse_args()


def check_task(task: str, level: float | None, options: argparse.Namespace) -> Record:
    """Return the counts of one task at one level, and print them to stderr."""
    counts: Counter[str] = Counter()
    wrong_seeds: list[int] = []
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    correction_seconds = 0.0
    start = time.monotonic()
    for seed, entry in entries(task, level, options):
        verdict = check(task, entry)
        counts[f"before {verdict}"] += 1
        if verdict in (False, "failed") and len(wrong_seeds) < MAX_WRONG_SEEDS:
            wrong_seeds.append(seed)
        correction_start = time.perf_counter()
        result = corrected(task, entry)
        correction_seconds += time.perf_counter() - correction_start
        before[str(entry["answer"])] += 1
        if result is None:
            counts["remade"] += 1
        else:
            counts["mended"] += result is not entry
            after[str(result["answer"])] += 1
            counts[f"after {check(task, result)}"] += 1
        if time.monotonic() - start > options.seconds:
            break
    record = summarize(counts, before, after)
    record["wrong_seeds"] = wrong_seeds
    record["correction_ms"] = round(1000 * correction_seconds / max(record["items"], 1), 3)
    record["seconds"] = round(time.monotonic() - start, 1)
    print(task, json.dumps(record), file=sys.stderr)
    return record


def summarize(counts: Counter[str], before: Counter[str], after: Counter[str]) -> Record:
    """Return the counts by their names, and the shares of the answers if they are few."""
    record: Record = {
        "items": sum(before.values()),
        "wrong_before": counts["before False"],
        "undecided_before": counts["before None"],
        "remade": counts["remade"],
        "mended": counts["mended"],
        "wrong_after": counts["after False"],
        "undecided_after": counts["after None"],
        "failed": counts["before failed"] + counts["after failed"],
    }
    if 1 < len(before) <= 4:
        record["answers_before"] = shares(before)
        record["answers_after"] = shares(after)
    return record


def shares(answers: Counter[str]) -> dict[str, float]:
    return {answer: round(n / answers.total(), 4) for answer, n in sorted(answers.items())}


def check(task: str, entry: Record) -> Verdict | str:
    """Return the verdict of the check, or "failed" if it does not understand the question."""
    try:
        return CHECKS[task](cast(Entry, entry))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return "failed"


def entries(
    task: str, level: float | None, options: argparse.Namespace
) -> Iterator[tuple[int, Record]]:
    """Yield seeds and entries, made as in a worker, from one data set with consecutive seeds."""
    config = {} if level is None else level_config(task, level)
    random.seed(f"{task} {options.seed}")
    numpy.random.seed(random.getrandbits(32))
    decimal.setcontext(decimal.Context())  # decimal_arithmetic changes the context
    with contextlib.redirect_stdout(io.StringIO()):
        dataset = reasoning_gym.create_dataset(
            task, size=options.items, seed=options.seed, **config
        )
        for index in range(options.items):
            yield options.seed + index, dataset[index]


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # some questions depend on the order of a set
        os.execve(
            sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"}
        )
    sys.exit(main())
