"""What the benchmarks of served problems share: options, and a record for each task and level.

options_of(__doc__, problems=100, first_seed=900_000)
print_report(options, measure)    # measure(maker, task, level, options) returns one record
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from benchmarks.harness import Json, parser, print_json
from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.worker.problem_maker import ProblemMaker

LEVELS = (None, 0.0, 0.25, 0.5, 0.75, 1.0)

Measure = Callable[[ProblemMaker, str, float | None, argparse.Namespace], Json]


def options_of(doc: str | None, *, problems: int, first_seed: int) -> argparse.ArgumentParser:
    """Return a parser with the options for tasks, levels, seeds and limits.

    Args:
        problems: the default number of problems of each level.
        first_seed: the default seed of the first problem.
    """
    command = parser(doc)
    command.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all")
    command.add_argument(
        "--levels", nargs="+", type=_level, default=LEVELS, help="null: default parameters"
    )
    command.add_argument("--problems", type=int, default=problems, help="problems of each level")
    command.add_argument("--seed", type=int, default=first_seed, help="seed of the first problem")
    command.add_argument("--seconds", type=float, default=60.0, help="time limit of each level")
    return command


def _level(text: str) -> float | None:
    return None if text in ("null", "None") else float(text)


def print_report(options: argparse.Namespace, measure: Measure) -> None:
    """Print the records of all chosen tasks and levels."""
    maker = ProblemMaker(strict=True)
    report: Json = {"problems": options.problems, "tasks": {}}
    for task in options.tasks or sorted(set(KNOWN_TASKS) - {COMPOSITE}):
        report["tasks"][task] = {
            str(level): measure(maker, task, level, options) for level in options.levels
        }
    print_json(report)
