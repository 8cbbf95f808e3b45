"""Make items of one task and measure their cost: the child program of benchmarks/difficulty.py.

    python benchmarks/levels/make_items.py TASK

Each line of stdin is a JSON object with ``seed`` and ``level``. The reply is one line of JSON: the
item's record, or its error.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy
import reasoning_gym

from rgenv.worker.levels import level_config, winnable

MEMORY_BYTES = 3 * 2**30
"""Limit of the address space: well above the budget for an item, far below a machine's memory."""


def main() -> None:
    task = sys.argv[1]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # some tasks print while they generate
    for line in sys.stdin:
        try:
            reply = measure(task, **json.loads(line))
        except Exception as error:  # foreign code: whatever it raises is the result
            reply = {"error": f"{type(error).__name__}: {str(error)[:200]}"}
        replies.write(json.dumps(reply) + "\n")


def measure(task: str, seed: int, level: float) -> dict[str, Any]:
    """Make one item and return its cost, its lengths and its parameters."""
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
        "config": config,
    }


def peak_memory_mb() -> float:
    """Return the peak of the resident set since it was last reset, in MiB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    kib = next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]
    return int(kib) / 1024


if __name__ == "__main__":
    main()
