"""Measure every task at every level; prints one JSON object.

    python benchmarks/difficulty.py                        the report; takes minutes
    python benchmarks/difficulty.py --tasks jugs sokoban   the report on two tasks

`python -m tools.measure --only costs` writes costs into rgenv/measured.json. The report says how
many tasks have a working scale, what failed, the slowest item, the longest prompt, and for each
task whether its parameters and lengths rise with the level. Items are made in child processes under
a time limit and a memory limit.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reasoning_gym.factory import DATASETS

from benchmarks.harness import Json, parser, print_json
from benchmarks.levels.correlation import correlations
from benchmarks.levels.maker import ItemMaker
from rgenv.task_names import COMPOSITE
from rgenv.tasks.registry import record_of

BUDGET = {"seconds": 2.0, "memory_mb": 1024, "question_chars": 12000, "answer_chars": 6000}
"""The most that a problem may take, and the most characters of its question and answer."""

CHARS_PER_TOKEN = 3.0
"""A cautious rate: digits and grids take more tokens than prose."""

Record = Json
"""One item: ``task``, ``level``, ``seed``; then either ``error`` or what
levels/make_items.py measured."""


def main() -> int:
    """Return 0 if every item of every task was made within the budgets, else 1."""
    options = parse_options()
    tasks = options.tasks or sorted(set(DATASETS) - {COMPOSITE})
    records = []
    for number, task in enumerate(tasks, 1):
        records += sweep(task, options)
        print(f"{number}/{len(tasks)} {task}", file=sys.stderr)
    result = report(records)
    print_json(result)
    return int(bool(result["failures"] or result["over_budget"]))


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    command_line = parser(__doc__)
    command_line.add_argument(
        "--tasks", nargs="+", metavar="TASK", help="default: all but composite"
    )
    command_line.add_argument("--levels", type=int, default=11, help="evenly spaced levels a task")
    command_line.add_argument("--seeds", type=int, default=3, help="items a level")
    command_line.add_argument("--timeout", type=float, default=20.0, help="seconds for one item")
    return command_line.parse_args(arguments)


def sweep(task: str, options: argparse.Namespace) -> list[Record]:
    """Return one record for each level and seed; every item has another seed, to find slow ones."""
    with ItemMaker(task, options.timeout) as maker:
        return [
            maker.make(level=number / (options.levels - 1), seed=1000 * number + seed)
            for number in range(options.levels)
            for seed in range(options.seeds)
        ]


def exceeded(record: Record, *, unbound: bool = False) -> list[str]:
    """Return the names of the budgets that an item exceeds; ``error`` if there is no item.

    A task may have budgets that no level can keep, because of the data it draws from. They are
    listed in its record as ``unbound``.

    Args:
        unbound: consider only these budgets, not all others.
    """
    if "error" in record:
        return ["error"]
    exempt = record_of(record["task"]).levels.unbound
    broken = [name for name, most in BUDGET.items() if record[name] > most]
    return [name for name in broken if (name in exempt) == unbound]


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
    """Return counts, failures, extremes, and the correlations of each task."""
    made = [record for record in records if "error" not in record]
    failed = [record for record in records if "error" in record]
    scales = {task: correlations(items) for task, items in by_task(made)}
    fixed = [task for task, scale in scales.items() if scale["parameters"] is None]
    same_lengths = [
        task
        for task, scale in scales.items()
        if scale["question"] is scale["answer"] is None and task not in fixed
    ]
    longest = max(made, key=lambda item: item["question_chars"])
    tokens = round(longest["question_chars"] / CHARS_PER_TOKEN)
    return {
        "tasks": len({record["task"] for record in records}),
        "tasks_with_a_working_scale": len(set(scales) - {record["task"] for record in failed}),
        "tasks_whose_parameters_move": len(scales) - len(fixed),
        "levels_tried": len({record["level"] for record in records}),
        "items": len(records),
        "failures": [brief(record) for record in failed],
        "over_budget": [brief(record) for record in made if exceeded(record)],
        "over_a_budget_that_no_level_binds": [
            brief(record) for record in made if exceeded(record, unbound=True)
        ],
        "unwinnable": dict(Counter(item["task"] for item in made if not item["winnable"])),
        "slowest": brief(max(made, key=lambda item: item["seconds"])),
        "largest_memory": brief(max(made, key=lambda item: item["memory_mb"])),
        "longest_prompt": {**brief(longest), "about_tokens": tokens},
        "no_proxy_moves": {task: record_of(task).levels.fixed for task in fixed},
        "parameters_move_but_no_length": same_lengths,
        "rank_correlation_with_level": scales,
        "reasoning_gym": version("reasoning-gym"),
    }


def by_task(records: list[Record]) -> Iterator[tuple[str, list[Record]]]:
    """Yield each task with its records."""
    for task in dict.fromkeys(record["task"] for record in records):
        yield task, [record for record in records if record["task"] == task]


def brief(record: Record) -> Record:
    """Return a record without its parameters."""
    return {key: value for key, value in record.items() if key != "config"}


if __name__ == "__main__":
    raise SystemExit(main())
