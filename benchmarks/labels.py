"""Checks the library's labels by a second way of finding the answer, before and after ours.

Prints one JSON object: for each task the items checked, how many labels were wrong as the library
made them and how many after rgenv/worker/labels/__init__.py, how many were remade by it, how many no check could
decide, the share of each answer where there are few, and the time taken.

    python benchmarks/labels.py                               every task that has a check
    python benchmarks/labels.py --tasks syllogism --items 500
    python benchmarks/labels.py --level 0.5                   at a level, not the defaults

The checks are in benchmarks/label_checks/ and know nothing of rgenv/worker/labels/__init__.py.
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
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy  # noqa: E402
import reasoning_gym  # noqa: E402

from benchmarks.label_checks import CHECKS  # noqa: E402
from rgenv.worker.labels import corrected  # noqa: E402
from rgenv.worker.levels import level_config  # noqa: E402

Record = dict[str, Any]

EXAMPLES = 5
"""Seeds of wrong labels that are listed for a task."""


def main() -> int:
    """0 when no label is wrong after correction, else 1."""
    options = parse_options()
    report: Record = {"reasoning_gym": version("reasoning-gym"), "level": options.level}
    report["tasks"] = {task: check_task(task, options) for task in options.tasks or CHECKS}
    print(json.dumps(report, indent=1))
    return int(any(task["wrong_after"] or task["failed"] for task in report["tasks"].values()))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Check the library's labels by a second way.")
    parser.add_argument("--tasks", nargs="+", metavar="TASK", choices=CHECKS)
    parser.add_argument("--items", type=int, default=10_000, help="items a task")
    parser.add_argument("--seed", type=int, default=0, help="the first item's seed")
    parser.add_argument("--level", type=float, help="default: the tasks' own defaults")
    parser.add_argument("--seconds", type=float, default=300.0, help="at most this long a task")
    return parser.parse_args()


def check_task(task: str, options: argparse.Namespace) -> Record:
    """Counts for one task; progress goes to stderr."""
    counts: Counter[str] = Counter()
    wrong: list[int] = []
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    label_seconds = 0.0
    start = time.monotonic()
    for seed, entry in items(task, options):
        verdict = judged(task, entry)
        counts[f"before {verdict}"] += 1
        if verdict in (False, "failed") and len(wrong) < EXAMPLES:
            wrong.append(seed)
        clock = time.perf_counter()
        mended = corrected(task, entry)
        label_seconds += time.perf_counter() - clock
        before[str(entry["answer"])] += 1
        if mended is None:
            counts["remade"] += 1
        else:
            counts["mended"] += mended is not entry
            after[str(mended["answer"])] += 1
            counts[f"after {judged(task, mended)}"] += 1
        if time.monotonic() - start > options.seconds:
            break
    record = summary(counts, before, after)
    record["wrong_seeds"] = wrong
    record["correction_ms"] = round(1000 * label_seconds / max(record["items"], 1), 3)
    record["seconds"] = round(time.monotonic() - start, 1)
    print(task, json.dumps(record), file=sys.stderr)
    return record


def summary(counts: Counter[str], before: Counter[str], after: Counter[str]) -> Record:
    """The counts by their names, and the answers' shares where there are no more than four."""
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


def judged(task: str, entry: Record) -> bool | str | None:
    """The check's verdict; "failed" where the check could not read the question."""
    try:
        return CHECKS[task](entry)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, StopIteration):
        return "failed"


def items(task: str, options: argparse.Namespace) -> Iterator[tuple[int, Record]]:
    """Entries as a worker makes them: one data set, since items are told by seed + index."""
    config = {} if options.level is None else level_config(task, options.level)
    random.seed(f"{task} {options.seed}")
    numpy.random.seed(random.getrandbits(32))
    decimal.setcontext(decimal.Context())  # decimal_arithmetic leaves its own behind
    with contextlib.redirect_stdout(io.StringIO()):
        dataset = reasoning_gym.create_dataset(
            task, size=options.items, seed=options.seed, **config
        )
        for index in range(options.items):
            yield options.seed + index, dataset[index]


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # some questions are told by the order of a set
        os.execve(
            sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"}
        )
    sys.exit(main())
