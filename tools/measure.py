"""Measure tasks, and write rgenv/measured.json.

    python -m tools.measure                         everything about all tasks
    python -m tools.measure --tasks gcd lcm         everything about two tasks
    python -m tools.measure --only health           one measurement of all tasks

What is measured, in this order:

    source   seconds: the hash of the task's modules (rgenv/tasks/coverage.py): from here on, our
             corrections apply to the task in the installed library; and what its file says that
             the parent side needs
    blind    half an hour: what a constant or a guess solves (tools/blind.py)
    health   minutes: prompts, and the rules that the task breaks (`validate`)

Tasks that are not named keep what was measured before, and all keep the rule `shortcut`, if their
record explains it: forests on features of the questions found it, by tools/programs.py of commit
664e4d14. What is found is written, and named, after each few tasks.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Iterable
from statistics import median
from typing import Any

from reasoning_gym.factory import DATASETS

from rgenv import measured
from rgenv.cli import validate
from rgenv.task_names import COMPOSITE
from rgenv.tasks.coverage import sources
from rgenv.tasks.record import Task
from rgenv.tasks.registry import asks, records
from rgenv.validation.check import FULL_MARKS, LIMITS, RULES, Checked, TaskReport
from tools.token_estimate import prompt_tokens

MEASURES = ("source", "blind", "health")
AT_ONCE = 15
"""Tasks after which what was found is written."""

Found = dict[str, dict[str, Any]]
"""Task -> name in measured.json -> JSON value."""


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tasks", nargs="+", default=[], metavar="TASK", help="default: all")
    parser.add_argument("--only", nargs="+", choices=MEASURES, default=MEASURES)
    options = parser.parse_args(words)
    known = sources() if options.only == ["source"] else measured.TASKS.keys() - {COMPOSITE}
    if unknown := set(options.tasks) - set(known):
        parser.error(f"there is no task {min(unknown)!r}")
    if len(options.only) > 1:  # each in a process of its own, which reads what was written before
        for one in options.only:
            chosen = ["--tasks", *options.tasks] if options.tasks else []
            subprocess.run(
                [sys.executable, "-m", "tools.measure", "--only", one, *chosen], check=True
            )
        return
    [only] = options.only
    if only == "source":
        update(source(options.tasks), release=not options.tasks)
        return
    tasks = options.tasks or sorted(known)
    measure = {"blind": blind, "health": health}[only]
    for start in range(0, len(tasks), AT_ONCE):
        update(measure(tasks[start : start + AT_ONCE]))


def source(tasks: Iterable[str] = ()) -> Found:
    """Return categories, hashes and files of tasks, by default of all that the library has."""
    return {
        task: {
            "category": DATASETS[task][0].__module__.split(".")[1],
            "source": sources()[task],
            **decided(task),
        }
        for task in tasks or DATASETS
    }


def decided(task: str) -> dict[str, Any]:
    """Return what the parent side needs of the file of a task; of a new task, too little."""
    record = records().get(task, Task())
    known = {"asks": asks(task), "answer": record.answer.name, "seed_bits": record.seed_bits}
    return {name: value for name, value in known.items() if value is not None}


def blind(tasks: Iterable[str]) -> Found:
    from tools.blind import measure_task

    return {task: {"blind": measure_task(task)} for task in tasks}


def health(tasks: Iterable[str]) -> Found:
    return asyncio.run(_health(["--tasks", ",".join(tasks)]))


async def _health(words: list[str]) -> Found:
    async with contextlib.AsyncExitStack() as stack:
        _, reports = await validate.checked(validate.parse(words), stack)
        return {one.task: {"health": health_of(one)} for one in reports}


def health_of(report: TaskReport) -> dict[str, Any]:
    """Return what `validate` found, as JSON."""
    between = {s for one in report.checked for s in one.scores.values() if 0 < s < FULL_MARKS}
    reward = "binary" if not between else "partial" if max(between) > LIMITS["junk"] else "floor"
    made = [one for one in report.levels if "made" not in one.faults]
    known = measured.TASKS.get(report.task)
    before = known.health.faults if known and known.health else {}
    kept = {rule: why for rule, why in report.accepted.items() if rule in before.keys() - RULES}
    return {
        "reward": reward,
        "prompt_tokens": _tokens(report.checked),
        "levels": {json.dumps(one.level): _tokens(one.checked) for one in made},
        "faults": report.broken | kept,
    }


def _tokens(checked: Iterable[Checked]) -> list[int]:
    """Return the median and the maximum over prompts."""
    counts = [prompt_tokens(one.problem.messages) for one in checked] or [0]
    return [round(median(counts)), max(counts)]


def update(found: Found, *, release: bool = False) -> None:
    """Put measurements into the table; with those of a new release, tasks that are gone go."""
    content = json.loads(measured.PATH.read_text(encoding="utf-8"))
    tasks = content["tasks"]
    if release:
        content["release"] = importlib.metadata.version("reasoning-gym")
        tasks = {task: values for task, values in tasks.items() if task in found}
    for task, values in found.items():
        tasks[task] = tasks.get(task, {}) | values
    content["tasks"] = dict(sorted(tasks.items()))
    measured.PATH.write_text(written(content), encoding="utf-8")
    print(f"{measured.PATH.name} has new measures of {', '.join(found)}.", flush=True)


def written(content: dict[str, Any]) -> str:
    """Return the table as JSON, with a line for each measure of a task."""
    tasks = ",\n".join(f"  {_json(task)}: {_lines(one)}" for task, one in content["tasks"].items())
    return f'{{\n "release": {_json(content["release"])},\n "tasks": {{\n{tasks}\n }}\n}}\n'


def _lines(measures: dict[str, Any]) -> str:
    lines = ",\n".join(f"   {_json(name)}: {_json(value)}" for name, value in measures.items())
    return f"{{\n{lines}\n  }}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    main()
