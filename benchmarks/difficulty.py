"""Measures every task at every level, and makes the measured half of rgenv/worker/levels.json.

Prints one JSON object: how many tasks have a working scale, what failed, the slowest item, the
longest prompt, and for each task whether what a level changes rises with it. Items are made in
child processes under a time limit and a memory limit, so nothing can hang or fill the machine.

    python benchmarks/difficulty.py                        the report, minutes
    python benchmarks/difficulty.py --tasks jugs sokoban   the report on two tasks
    python benchmarks/difficulty.py --write                also put the measured costs in the table
    python benchmarks/difficulty.py --fit --write          first find the tops again, for example
                                                           after changing a budget in the table
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TABLE_PATH = ROOT / "rgenv" / "levels.json"

CHILD_BYTES = 3 * 2**30
"""Address space of a child: well above the budget, far below what would hurt a machine."""

CHARS_PER_TOKEN = 3.0
"""A cautious rate: digits and grids take more tokens than prose."""

WIDTH = 120
"""Columns of the table, so that the measurements of a task take one line."""

Record = dict[str, Any]
"""One item: task, level or place, seed; then either error, or seconds, memory_mb, winnable,
question_chars, answer_chars and config."""


def main() -> int:
    """0 when every item of every task could be made within the budgets, else 1."""
    options = parse_options()
    if options.child:
        return serve(options.child)
    table = json.loads(TABLE_PATH.read_text(encoding="utf-8"))
    tasks = options.tasks or registered_tasks()
    if options.fit:
        for task in tasks:
            fit(task, table, options)
        write_table(table)  # the children read it
    records = []
    for number, task in enumerate(tasks, 1):
        records += sweep(task, options)
        print(f"{number}/{len(tasks)} {task}", file=sys.stderr)
    if options.write:
        note_costs(table, records)
        write_table(table)
    report = summary(records, table)
    print(json.dumps(report, indent=1))
    return int(bool(report["failures"] or report["over_budget"]))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Measure rgenv/worker/levels.py over tasks and levels."
    )
    parser.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all but composite")
    parser.add_argument("--levels", type=int, default=11, help="evenly spaced levels a task")
    parser.add_argument("--seeds", type=int, default=3, help="seeds a level")
    parser.add_argument("--kill", type=float, default=20.0, help="seconds before an item is killed")
    parser.add_argument("--write", action="store_true", help="put the costs into the table")
    parser.add_argument("--fit", action="store_true", help="find each task's top again, and write")
    parser.add_argument("--child", metavar="TASK", help=argparse.SUPPRESS)
    return parser.parse_args()


# --- the child: makes items of one task, one JSON line for each ---------------------------------


def serve(task: str) -> int:
    """Answer one JSON line per recipe line on stdin, until it ends."""
    resource.setrlimit(resource.RLIMIT_AS, (CHILD_BYTES, CHILD_BYTES))
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # some tasks print while they generate
    sys.path.insert(0, str(ROOT))
    import rgenv.worker.levels  # noqa: F401  # paid here, not within the first item's time

    for line in sys.stdin:
        try:
            reply = measure(task, **json.loads(line))
        except Exception as error:  # foreign code: whatever it raises is the finding
            reply = {"error": f"{type(error).__name__}: {str(error)[:200]}"}
        replies.write(json.dumps(reply) + "\n")
    return 0


def measure(task: str, seed: int, level: float | None = None, place: float = 0.0) -> Record:
    """Make one item at a level, or at a place under no ceiling, and say what it cost."""
    import numpy
    import reasoning_gym

    from rgenv.worker.levels import config_at, level_config, winnable

    config = config_at(task, place) if level is None else level_config(task, level)
    random.seed(seed)
    numpy.random.seed(seed % 2**32)
    Path("/proc/self/clear_refs").write_text("5")  # starts the peak of memory afresh
    start = time.process_time()  # not the clock on the wall: other programs slow that down
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
    """The largest resident size of this process since the peak was last reset, in MiB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    kib = next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]
    return int(kib) / 1024


# --- the parent: asks children, and ends those that take too long -------------------------------


class Child:
    """A process that makes items of one task; started again after it was killed or died."""

    def __init__(self, task: str, kill: float) -> None:
        self.task = task
        self.kill = kill
        self.folder = tempfile.TemporaryDirectory()  # some of codeio's programs write files
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()
        self.folder.cleanup()

    def ask(self, **recipe: Any) -> Record:
        """The record of one item; its error when there is no item within the time limit."""
        process = self.process or self.start()
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(recipe) + "\n")
        process.stdin.flush()
        # The first answer also waits for the imports.
        limit = self.kill if self.process else self.kill + 60
        self.process = process
        ready, _, _ = select.select([process.stdout], [], [], limit)
        line = process.stdout.readline() if ready else ""
        if not line:
            self.stop()
        reply = json.loads(line) if line else {"error": f"died, or killed after {limit:g} s"}
        return {"task": self.task, **recipe, **reply}

    def start(self) -> subprocess.Popen[str]:
        env = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(
            [sys.executable, __file__, "--child", self.task],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=env,
            cwd=self.folder.name,
        )

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.process = None


def registered_tasks() -> list[str]:
    """All tasks of the installed reasoning-gym but composite, sorted."""
    code = "import json\nfrom reasoning_gym.factory import DATASETS\nprint(json.dumps([*DATASETS]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return sorted(set(json.loads(done.stdout)) - {"composite"})


def sweep(task: str, options: argparse.Namespace) -> list[Record]:
    """One record per level and seed; no seed is used twice, so that slow ones are found."""
    with Child(task, options.kill) as child:
        return [
            child.ask(level=number / (options.levels - 1), seed=1000 * number + seed)
            for number in range(options.levels)
            for seed in range(options.seeds)
        ]


def fit(task: str, table: Record, options: argparse.Namespace) -> None:
    """Lower the task's top from 1.0 in steps until every item there is within the budgets."""
    entry = table["tasks"].setdefault(task, {})
    entry.pop("top", None)
    with Child(task, options.kill) as child:
        for percent in range(100, 0, -5):
            items = [child.ask(place=percent / 100, seed=seed) for seed in range(10)]
            if not any(overrun(item, table) for item in items):
                break
    if percent < 100:
        entry["top"] = percent / 100
        print(f"{task}: top {percent / 100}", file=sys.stderr)


def overrun(record: Record, table: Record, *, unbound: bool = False) -> list[str]:
    """The names of the budgets that an item breaks; an error breaks them all.

    Some tasks have budgets that no level binds, because of the data they draw from: those count
    only when asked for with `unbound`, and then alone.
    """
    if "error" in record:
        return ["error"]
    loose = table["tasks"].get(record["task"], {}).get("unbound", [])
    broken = [name for name, most in table["budget"].items() if record[name] > most]
    return [name for name in broken if (name in loose) == unbound]


def note_costs(table: Record, records: list[Record]) -> None:
    """Put the largest of each measured figure beside each task's data."""
    for task, items in by_task(records):
        made = [item for item in items if "error" not in item]
        table["tasks"].setdefault(task, {})["measured"] = {
            "items": len(made),
            **{name: max(item[name] for item in made) for name in table["budget"]},
            "unwinnable": sum(not item["winnable"] for item in made),
        }


def write_table(table: Record) -> None:
    """Replace the table in one step: a reader sees the old one or the new one."""
    table["tasks"] = dict(sorted(table["tasks"].items()))
    table["measured_with"] = f"reasoning-gym {version('reasoning-gym')}"
    new = TABLE_PATH.with_suffix(".tmp")
    new.write_text(dumps_short(table) + "\n", encoding="utf-8")
    new.replace(TABLE_PATH)


def dumps_short(value: Any, indent: str = "") -> str:
    """JSON with one line for whatever fits in WIDTH columns."""
    flat = json.dumps(value, ensure_ascii=False)
    if (indent and len(indent) + len(flat) <= WIDTH) or not isinstance(value, dict):
        return flat
    inner = indent + " "
    rows = [f"{inner}{json.dumps(k)}: {dumps_short(v, inner)}" for k, v in value.items()]
    return "{\n" + ",\n".join(rows) + f"\n{indent}}}"


# --- the report ---------------------------------------------------------------------------------


def summary(records: list[Record], table: Record) -> Record:
    """The report on all records: counts, failures, extremes, and correlations by task."""
    made = [record for record in records if "error" not in record]
    failed = [record for record in records if "error" in record]
    over = [brief(record) for record in made if overrun(record, table)]
    loose = [brief(record) for record in made if overrun(record, table, unbound=True)]
    scales = {task: correlations(items) for task, items in by_task(made)}
    still = [task for task, scale in scales.items() if scale["parameters"] is None]
    fixed = [
        t for t, s in scales.items() if s["question"] is s["answer"] is None and t not in still
    ]
    broken = {record["task"] for record in failed}
    return {
        "tasks": len({record["task"] for record in records}),
        "tasks_with_a_working_scale": len(set(scales) - broken),
        "tasks_whose_parameters_move": len(scales) - len(still),
        "levels_tried": len({record["level"] for record in records}),
        "items": len(records),
        "failures": [brief(record) for record in failed],
        "over_budget": over,
        "over_a_budget_that_no_level_binds": loose,
        "unwinnable": dict(Counter(item["task"] for item in made if not item["winnable"])),
        "slowest": brief(max(made, key=lambda item: item["seconds"])),
        "largest_memory": brief(max(made, key=lambda item: item["memory_mb"])),
        "longest_prompt": longest(made),
        "no_proxy_moves": {task: why(task, table) for task in still},
        "parameters_move_but_no_length": {task: why(task, table) for task in fixed},
        "rank_correlation_with_level": scales,
        "reasoning_gym": version("reasoning-gym"),
    }


def why(task: str, table: Record) -> str:
    return str(table["tasks"].get(task, {}).get("why", "not explained in the table"))


def by_task(records: list[Record]) -> Iterator[tuple[str, list[Record]]]:
    for task in dict.fromkeys(record["task"] for record in records):
        yield task, [record for record in records if record["task"] == task]


def brief(record: Record) -> Record:
    return {key: value for key, value in record.items() if key != "config"}


def longest(made: list[Record]) -> Record:
    """The record of the longest question, with its tokens by a cautious rate."""
    record = max(made, key=lambda item: item["question_chars"])
    return brief(record) | {"about_tokens": round(record["question_chars"] / CHARS_PER_TOKEN)}


def correlations(items: list[Record]) -> dict[str, float | None]:
    """Spearman's rank correlation of level with each proxy of difficulty; None where it is still.

    parameters: how far the task's parameters are from where they are at the lowest level.
    question, answer: mean length in characters.
    """
    levels = sorted({item["level"] for item in items})
    groups = [[item for item in items if item["level"] == level] for level in levels]
    proxies = {
        "parameters": travel([group[0]["config"] for group in groups]),
        "question": [statistics.mean(i["question_chars"] for i in group) for group in groups],
        "answer": [statistics.mean(i["answer_chars"] for i in group) for group in groups],
    }
    return {name: spearman(levels, values) for name, values in proxies.items()}


def travel(configs: list[Record]) -> list[float]:
    """For each config the sum over its parameters of the share of their way that they have gone."""
    total = [0.0] * len(configs)
    for name in configs[0]:
        steps = distances([config[name] for config in configs])
        furthest = max(steps) or 1.0
        total = [sum_ + step / furthest for sum_, step in zip(total, steps, strict=True)]
    return total


def distances(values: list[Any]) -> list[float]:
    """How far each value is from the first: weights by their centre, other things by order."""
    if all(isinstance(value, list) and isinstance(value[0], float) for value in values):
        values = [sum(i * w for i, w in enumerate(value)) / sum(value) for value in values]
    elif not all(isinstance(value, (int, float)) for value in values):
        values = [values.index(value) for value in values]
    return [abs(value - values[0]) for value in values]


def spearman(xs: list[float], ys: list[float]) -> float | None:
    """Rank correlation in [-1, 1], ties sharing their mean rank; None when either is constant."""
    if len(set(xs)) < 2 or len(set(ys)) < 2:
        return None
    return round(statistics.correlation(ranks(xs), ranks(ys)), 3)


def ranks(values: list[float]) -> list[float]:
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


if __name__ == "__main__":
    raise SystemExit(main())
