"""python -m benchmarks.learning run | report

    python -m benchmarks.learning run [--arms uniform,ours] [--seeds 101-112]
    python -m benchmarks.learning report [--plot learning_benchmark.png]

`run` does what the results lack and may be killed at any time: one run is lost. `report` prints one
JSON object. Both read and write results.jsonl in this folder.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

try:
    import torch  # noqa: F401 - checked first, to name the remedy
except ImportError:
    sys.exit("Learning needs torch: `pip install -r requirements-learn.txt -c constraints.txt`.")

from benchmarks.harness import print_json
from benchmarks.learning.arms import ARMS
from benchmarks.learning.command import run_all
from benchmarks.learning.report import report
from benchmarks.learning.results import RESULTS
from benchmarks.learning.training import Size

CACHE = Path("learning_output")


def seeds(text: str) -> list[int]:
    """Read ``1-12`` or ``1,3``."""
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def arms(text: str) -> list[str]:
    """Read names of arms."""
    names = text.split(",")
    if unknown := [name for name in names if name not in ARMS]:
        raise argparse.ArgumentTypeError(
            f"no arm is called {unknown[0]!r}: there are {', '.join(ARMS)}"
        )
    return names


def main(words: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.learning", description="Compare ways to choose tasks."
    )
    parser.add_argument("command", choices=["run", "report"])
    parser.add_argument("--arms", type=arms, default=list(ARMS), help="names, separated by commas")
    parser.add_argument("--seeds", type=seeds, default=seeds("101-112"), help="such as 1-12 or 1,3")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file of the results")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of the warm weights")
    parser.add_argument(
        "--budget", type=int, default=Size.budget, help="completion tokens of a run"
    )
    parser.add_argument("--plot", type=Path, help="draw the report to this file")
    options = parser.parse_args(words)
    if options.command == "report":
        print_json(report(options.results, plot=options.plot))
        return
    size = Size(budget=options.budget)
    done = run_all(
        options.arms, options.seeds, output=options.results, cache=options.cache, size=size
    )
    print_json({"runs": done, "results": str(options.results)})


if __name__ == "__main__":
    main()
