"""Measure the cost of every task at every level; prints one JSON object.

    python benchmarks/difficulty.py                        the report; takes minutes
    python benchmarks/difficulty.py --tasks jugs sokoban   the report on two tasks

`python -m tools.measure --only costs` writes costs into rgenv/measured.json. The report says what
could not be made, what exceeds the budgets, and what can't be won. Items are made in child
processes under a time limit and a memory limit.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import select
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy
import reasoning_gym
from reasoning_gym.factory import DATASETS

from benchmarks.harness import Json, parser, print_json
from rgenv.task_names import COMPOSITE
from rgenv.tasks.registry import record_of
from rgenv.worker.levels import level_config, winnable

BUDGET = {"seconds": 2.0, "memory_mb": 1024, "question_chars": 12000, "answer_chars": 6000}
"""The most that a problem may take, and the most characters of its question and answer."""

IMPORT_SECONDS = 60.0
"""Additional seconds for the first item, before which the child imports the library."""

MEMORY_BYTES = 3 * 2**30
"""Limit of the address space: well above the budget for an item, far below a machine's memory."""

Record = Json
"""One item: ``task``, ``level``, ``seed``; then either ``error`` or what `measure` returns."""


def main() -> int:
    """Return 0 if every item of every task was made within the budgets, else 1."""
    options = parse_options()
    if options.child:
        make_items(options.child)
        return 0
    tasks = options.tasks or sorted(set(DATASETS) - {COMPOSITE})
    records = []
    for number, task in enumerate(tasks, 1):
        records += sweep(task, options)
        print(f"{number}/{len(tasks)} {task}", file=sys.stderr)
    result = report(records)
    print_json(result)
    return int(bool(result["failures"] or result["over_budget"]))


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    command_line = parser(__doc__)
    command_line.add_argument(
        "--tasks", nargs="+", metavar="TASK", help="default: all but composite"
    )
    command_line.add_argument("--levels", type=int, default=11, help="evenly spaced levels a task")
    command_line.add_argument("--seeds", type=int, default=3, help="items a level")
    command_line.add_argument("--timeout", type=float, default=20.0, help="seconds for one item")
    command_line.add_argument("--child", metavar="TASK", help="make items, as stdin asks")
    return command_line.parse_args(arguments)


def sweep(task: str, options: argparse.Namespace) -> list[Record]:
    """Return one record for each level and seed; every item has another seed, to find slow ones."""
    with contextlib.closing(ItemMaker(task, options.timeout)) as maker:
        return [
            maker.make(level=number / (options.levels - 1), seed=1000 * number + seed)
            for number in range(options.levels)
            for seed in range(options.seeds)
        ]


def exceeded(record: Record) -> list[str]:
    """Return the names of the budgets that an item exceeds, but for those that no level can keep.

    The data that a task draws from may decide them: its record lists them as ``unbound``.
    """
    exempt = record_of(record["task"]).levels.unbound
    return [name for name, most in BUDGET.items() if record[name] > most and name not in exempt]


def costs(records: list[Record]) -> Json:
    """Return the number of items of a task, the largest of each figure, and how many can't be won.

    Raises:
        ValueError: no item could be made.
    """
    made = [item for item in records if "error" not in item]
    return {
        "items": len(made),
        **{name: max(item[name] for item in made) for name in BUDGET},
        "unwinnable": sum(not item["winnable"] for item in made),
    }


def report(records: list[Record]) -> Json:
    made = [record for record in records if "error" not in record]
    return {
        "tasks": len({record["task"] for record in records}),
        "items": len(records),
        "failures": [record for record in records if "error" in record],
        "over_budget": [record for record in made if exceeded(record)],
        "unwinnable": dict(Counter(item["task"] for item in made if not item["winnable"])),
        "slowest": max(made, key=lambda item: item["seconds"], default=None),
        "longest_prompt": max(made, key=lambda item: item["question_chars"], default=None),
    }


# The child that makes items


class ItemMaker:
    """Starts the child when it is needed, and again after it died or exceeded the time limit."""

    def __init__(self, task: str, timeout: float) -> None:
        self._task, self._timeout = task, timeout
        self._folder = tempfile.TemporaryDirectory()  # some of codeio's programs write files
        self._process: subprocess.Popen[str] | None = None

    def make(self, **recipe: float) -> Record:
        limit = self._timeout if self._process else self._timeout + IMPORT_SECONDS
        process = self._process = self._process or self._start()
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(recipe) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], limit)
        line = process.stdout.readline() if ready else ""
        if not line:
            self._stop()
        reply = json.loads(line) if line else {"error": f"died, or killed after {limit:g} s"}
        return {"task": self._task, **recipe, **reply}

    def close(self) -> None:
        self._stop()
        self._folder.cleanup()

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--child", self._task],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"},
            cwd=self._folder.name,
        )

    def _stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process.communicate()
        self._process = None


def make_items(task: str) -> None:
    """Reply to each line of stdin, which has seed and level, with what making the item took."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # some tasks print while they generate
    for line in sys.stdin:
        try:
            reply = measure(task, **json.loads(line))
        except Exception as error:  # foreign code: whatever it raises is the result
            reply = {"error": f"{type(error).__name__}: {str(error)[:200]}"}
        replies.write(json.dumps(reply) + "\n")


def measure(task: str, seed: int, level: float) -> Json:
    config = level_config(task, level)
    random.seed(seed)
    numpy.random.seed(seed % 2**32)
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak of the resident set
    start = time.process_time()  # other programs slow down the wall clock
    dataset = reasoning_gym.create_dataset(task, size=1, seed=seed, **config)
    entry = dataset[0]
    seconds = time.process_time() - start
    return {
        "seconds": round(seconds, 3),
        "memory_mb": round(peak_memory_mb()),
        "winnable": winnable(task, dataset, entry),
        "question_chars": len(entry["question"]),
        "answer_chars": len(entry["answer"] or ""),
    }


def peak_memory_mb() -> float:
    """Return the peak of the resident set since it was last reset, in MiB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    kib = next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]
    return int(kib) / 1024


if __name__ == "__main__":
    raise SystemExit(main())
