"""List codeio's programs whose output depends on more than their input; prints one JSON object.

    python benchmarks/programs.py [--inputs 10] [--first 3002] [--write]

Each program makes inputs and outputs in three processes, which differ in the state of the global
random generators, in the seed of hashes or in the date. A program whose inputs or outputs differ is
listed; with --write it is added to rgenv/tasks/programs/unreproducible.json. Takes a quarter of
an hour.
"""

from __future__ import annotations

import datetime
import gzip
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness import ROOT, parser, print_json
from rgenv.tasks.programs.source import digest

LIST = ROOT / "rgenv" / "tasks" / "programs" / "unreproducible.json"
ENVIRONMENTS = (("0", "a", 0), ("0", "b", 0), ("7", "c", 463))
"""Seed of hashes, seed of the global generators, and days to add to the date."""
MAX_SECONDS = 5.0
"""Time of one input and output; what takes longer is not compared."""
TIMEOUT = "timeout"

Results = Mapping[str, list[str]]
"""Digest of a program -> digest of each pair of input and output."""


class _TooLong(BaseException):
    """Ends a program; no Exception, because programs catch those."""


def observe(inputs: int, first: int, seed: str, days: int) -> Results:
    import numpy
    import reasoning_gym.data

    _shift_clock(days)
    signal.signal(signal.SIGALRM, _end)
    path = reasoning_gym.data.get_data_file_path("codeio.jsonl.gz")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:first]
    results = {}
    for row in rows:
        source = f"{row['code_sample']}\n\n{row['input_generator']}"
        pairs: list[str] = []
        while len(pairs) < inputs and TIMEOUT not in pairs:
            random.seed(len(pairs))
            numpy.random.seed(len(pairs))
            try:
                pairs.append(_pair(source, len(pairs), seed))
            except _TooLong:  # a second signal, while the first was handled
                pairs.append(TIMEOUT)
        results[digest(row["code_sample"])] = pairs
    return results


def _pair(source: str, number: int, seed: str) -> str:
    """Return the digest of an input and its output, or `TIMEOUT`."""
    try:
        signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS, 0.5)
        return _compute(source, number, seed)
    except _TooLong:
        return TIMEOUT
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _compute(source: str, number: int, seed: str) -> str:
    """Return the digest of an input and its output; the generators are seeded before the output."""
    import numpy

    names: dict[str, Any] = {"Random": random.Random}
    try:
        exec(source, names)  # code of the library
        given = names["generate_inputs"](random.Random(number))
        shown = repr(given)
        random.seed(seed)
        numpy.random.seed(ord(seed))
        text = f"{shown} {json.dumps(names['main_solution'](**given))}"
    except (Exception, SystemExit) as error:  # foreign code raises anything
        text = type(error).__name__
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _end(number: int, frame: Any) -> None:
    raise _TooLong


def _shift_clock(days: int) -> None:
    """Let this process believe that it is some days later."""
    now, delta = time.time, datetime.timedelta(days=days)

    class Later(datetime.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return super().now(tz) + delta

        @classmethod
        def today(cls) -> Any:
            return super().today() + delta

    if days:
        time.time = lambda: now() + delta.total_seconds()
        datetime.datetime = Later  # type: ignore[misc]


def differing(runs: list[Results]) -> list[str]:
    return sorted(
        name
        for name in runs[0]
        if any(
            TIMEOUT not in pairs and len(set(pairs)) > 1
            for pairs in zip(*(run[name] for run in runs), strict=False)
        )
    )


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--inputs", type=int, default=10)
    arguments.add_argument("--first", type=int, default=3002)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--child", nargs=2, metavar=("SEED", "DAYS"))
    options = arguments.parse_args()
    if options.child:
        replies = os.fdopen(os.dup(1), "w")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what programs print
        seed, days = options.child
        json.dump(observe(options.inputs, options.first, seed, int(days)), replies)
        return
    runs = []
    for hash_seed, seed, days in ENVIRONMENTS:
        size = [f"--inputs={options.inputs}", f"--first={options.first}"]
        child = [
            sys.executable,
            "-W",
            "ignore",
            str(Path(__file__).resolve()),
            *size,
            "--child",
            seed,
            str(days),
        ]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "OMP_NUM_THREADS": "1"}
        with tempfile.TemporaryDirectory() as folder:  # some programs write files
            done = subprocess.run(
                child, env=environment, cwd=folder, stdout=subprocess.PIPE, check=True
            )
        runs.append(json.loads(done.stdout))
    programs = differing(runs)
    if options.write:  # what differed once stays in the list: some differ seldom
        known = json.loads(LIST.read_text(encoding="utf-8"))["programs"]
        text = json.dumps({"programs": sorted({*known, *programs})}, indent=1)
        LIST.write_text(f"{text}\n", encoding="utf-8")
    print_json({"programs": len(runs[0]), "unreproducible": len(programs)})


if __name__ == "__main__":
    main()
