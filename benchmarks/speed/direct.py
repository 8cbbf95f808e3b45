"""Make and score problems with reasoning-gym alone, in one process; prints one line of JSON.

    python benchmarks/speed/direct.py PLAN

This is the baseline that a short script would reach. For each line of the plan it makes the data
set, takes its one entry and scores every answer in both forms, raw and tagged, as the reference
environment does. It extracts, guards, limits and records nothing. A problem of another task is made
before the clock starts, so imports are not included. This program imports nothing else of the
project, so its memory is that of the library.

A line of the plan is a JSON object with ``task``, ``seed``, ``config`` and ``answers``; the answer
null stands for the reference answer.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import reasoning_gym


def main() -> None:
    work = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    imported = resident_mb()
    reasoning_gym.create_dataset("gcd", size=1, seed=0)[0]
    making = scoring = 0.0
    cpu = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):  # bf prints dots
        for item in work:
            began = time.perf_counter()
            dataset = reasoning_gym.create_dataset(
                item["task"], size=1, seed=item["seed"], **item["config"]
            )
            entry = dataset[0]
            made = time.perf_counter()
            score(dataset, entry, item["answers"])
            making += made - began
            scoring += time.perf_counter() - made
    result = {
        "groups_per_second": len(work) / (making + scoring),
        "cpu_ms_a_group": {"direct": 1000 * (time.process_time() - cpu) / len(work)},
        "making_seconds": making,
        "scoring_seconds": scoring,
        "imported_mb": imported,
        "worked_mb": resident_mb(),
    }
    print(json.dumps(result))


def score(dataset: Any, entry: dict[str, Any], answers: list[str | None]) -> None:
    """Score each answer in both forms and drop the scores."""
    for text in answers:
        answer = text if text is not None else entry["answer"] or "0"
        for form in (answer, f"<answer>{answer}</answer>"):
            with contextlib.suppress(Exception):  # verifiers raise whatever an answer provokes
                dataset.score_answer(answer=form, entry=entry)


def resident_mb() -> float:
    """Return the resident set of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


if __name__ == "__main__":
    main()
