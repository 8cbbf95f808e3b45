"""The floor: reasoning-gym called directly, in one process, as a script would.

    python benchmarks/speed/direct.py PLAN [GROUPS]    # prints one JSON object

For each line of the plan: make the data set, take its item, score every answer in both forms, as
the reference environment does. Nothing is extracted, guarded, timed out or booked. The first item
of a throw-away task comes before the clock, so imports are not in it.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import time
from pathlib import Path

import reasoning_gym


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def score(dataset: object, entry: dict, answers: list[str]) -> None:
    for answer in answers:
        for form in (answer, f"<answer>{answer}</answer>"):
            with contextlib.suppress(Exception):
                dataset.score_answer(answer=form, entry=entry)


def main() -> None:
    plan, *rest = sys.argv[1:]
    work = [json.loads(line) for line in Path(plan).read_text().splitlines()]
    work = work[: int(rest[0])] if rest else work
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
    print(
        json.dumps(
            {
                "groups_per_second": len(work) / (making + scoring),
                "cpu_ms_a_group": {"direct": 1000 * (time.process_time() - cpu) / len(work)},
                "making_seconds": making,
                "scoring_seconds": scoring,
                "imported_mb": imported,
                "worked_mb": resident_mb(),
            }
        )
    )


if __name__ == "__main__":
    main()
