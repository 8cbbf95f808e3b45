"""The command `validate`: check tasks and their verifiers, or score saved rollouts again.

It starts workers only: no model, no inference server, no rollout API.
"""

import argparse
import asyncio
import contextlib
import functools
import importlib.util
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rgenv.cli.fields import add_setting
from rgenv.cli.parser import (
    CommandParser,
    command,
    natural,
    positive,
)
from rgenv.errors import DONE, FAILED, PACKAGE, BadUsage
from rgenv.gym.settings import Settings
from rgenv.measured import TASKS
from rgenv.pool import task_modules
from rgenv.pool.library import checkout_path
from rgenv.pool.pool import WorkerPool
from rgenv.runtime.files import write_atomic
from rgenv.runtime.parts import Here, Place
from rgenv.runtime.progress import Progress
from rgenv.runtime.shutdown import Shutdown, say_signal
from rgenv.task_names import COMPOSITE, KNOWN_TASKS, choose_tasks, parse_levels, parse_names
from rgenv.text import level_name
from rgenv.validation import openenv_report
from rgenv.validation.health import TaskReport
from rgenv.validation.probe import FIRST_LOOK, Effort, Pools, probe_task
from rgenv.validation.report import coverage_line, task_line, terminal_table
from rgenv.validation.rescore import dump_files, rescore
from rgenv.worker.protocol import WorkerSettings

LEVELS, SEEDS, DRAWN = "none,0,0.25,0.5,0.75,1", 10, 150
"""What is measured by default."""
FITTING = ("sklearn", "scipy")
CALLS = 2
"""Batches of saved groups that are scored here at the same time, for each worker."""


@command("validate")
def main(words: list[str]) -> int:
    """Run the command; return 0 if everything is healthy or agrees, 1 if not, 2 for bad usage.

    Raises:
        SystemExit: after `--help`, or with 130 or 143 after a signal.
    """
    return asyncio.run(_run(parse(words)))


def parse(words: Sequence[str]) -> argparse.Namespace:
    if words and not words[0].startswith("-"):
        raise BadUsage(f"{words[0]!r}: name tasks with --tasks, and saved rollouts with --dump.")
    parser = CommandParser(
        "validate", "Check tasks and their verifiers, or score saved rollouts again."
    )
    add = parser.add_argument
    add(
        "--tasks",
        type=parse_names,
        default=[],
        metavar="A,B",
        help="names, categories or patterns; default: all, or those of --task-modules",
    )
    add_setting(parser, Settings, "task_modules")
    add(
        "--levels",
        type=_levels,
        default=LEVELS,
        metavar="L,L",
        help="none (a task's defaults) or numbers in [0, 1]; default: %(default)s",
    )
    add(
        "--seeds",
        type=positive,
        default=SEEDS,
        metavar="N",
        help="problems of each level of which everything is measured; default: %(default)s",
    )
    add(
        "--drawn",
        type=natural,
        default=DRAWN,
        metavar="N",
        help="problems of each level on which programs are measured that do not solve the task; "
        "fewer of slow tasks; default: %(default)s",
    )
    add_setting(parser, Settings, "problems")
    add_setting(
        parser,
        Settings,
        "scoring_workers",
        "tasks checked at the same time; two more workers remake problems and score with the other "
        "verifiers",
    )
    add(
        "--strict-verifiers",
        type=_boolean,
        default=True,
        metavar="BOOL",
        help="use our corrected reference answers and verifiers where there are any; default: true",
    )
    add(
        "--dump",
        nargs="+",
        metavar="FILE",
        help="score saved rollouts again instead: files, folders or patterns",
    )
    add(
        "--openenv",
        type=Path,
        metavar="FILE",
        help="also write the results as JSON, with the check ids of OpenEnv's RFC 008",
    )
    add("--ray", metavar="ADDRESS", help="use a Ray cluster: auto, local or its address")
    options = parser.parse_args(words)
    if options.openenv and not options.openenv.parent.is_dir():
        raise BadUsage(f"--openenv: {options.openenv.parent} is not a folder: create it first.")
    return options


def _levels(text: str) -> list[float | None]:
    try:
        return parse_levels(text)
    except BadUsage as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _boolean(text: str) -> bool:
    known = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
    if text.lower() not in known:
        raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")
    return known[text.lower()]


async def _run(options: argparse.Namespace) -> int:
    """Do what `options` say, and close all pools even if a signal ends it."""
    code = FAILED
    stack = contextlib.AsyncExitStack()

    async def work() -> None:
        nonlocal code
        if options.dump:
            code = await _rescore(options, stack)
        else:
            code = await _validate(options, stack)

    await Shutdown().guard(work(), stack.aclose, say_signal)
    return code


async def _start_pool(
    options: argparse.Namespace,
    stack: contextlib.AsyncExitStack,
    *,
    workers: int | None = None,
    strict: bool | None = None,
) -> WorkerPool:
    """Start a pool; by default, the one whose problems and verifiers are checked."""
    settings = WorkerSettings(
        strict=options.strict_verifiers if strict is None else strict,
        import_path=checkout_path(),
        task_modules=task_modules.found(options.task_modules),
    )
    pool = WorkerPool(workers=workers or options.workers, settings=settings)
    stack.push_async_callback(pool.close)  # also if a signal interrupts its start
    await pool.start()
    return pool


async def _start_pools(
    options: argparse.Namespace, stack: contextlib.AsyncExitStack, tested: WorkerPool | None = None
) -> Pools:
    return Pools(
        tested or await _start_pool(options, stack),
        await _start_pool(options, stack, workers=1, strict=not options.strict_verifiers),
        await _start_pool(options, stack, workers=1),
    )


def _cluster(
    options: argparse.Namespace, stack: contextlib.AsyncExitStack, start: Callable[..., Any]
) -> Place:
    from rgenv.adapters.ray import Cluster  # Ray takes seconds to import

    start_there = functools.partial(_start_there, start, options)
    cluster = Cluster(options.ray, start_there, processors=options.workers)
    stack.push_async_callback(cluster.close)
    return cluster


async def _start_there(start: Callable[..., Any], options: argparse.Namespace) -> Any:
    return await start(options, contextlib.AsyncExitStack())  # pools end with the actor


async def _validate(options: argparse.Namespace, stack: contextlib.AsyncExitStack) -> int:
    tested, reports = await probed(options, stack)
    print(terminal_table(reports))
    for line in _left_out(options, reports):
        print(f"Left out: {line}.")
    print(coverage_line(reports, tested.coverage.tasks("gone")))
    if options.openenv:
        found = openenv_report.report(reports, target=PACKAGE)
        write_atomic(options.openenv, json.dumps(found, indent=1).encode())
    return FAILED if any(report.unexplained for report in reports) else DONE


def _left_out(options: argparse.Namespace, reports: Sequence[TaskReport]) -> Iterator[str]:
    """Yield what the options, a missing package or slow tasks left out."""
    if missing := _missing():
        yield (
            f"programs that are fitted; they need {' and '.join(missing)}: "
            f'run `pip install "{PACKAGE}[report]"`'
        )
    if gone := [at for at in _levels(LEVELS) if at not in options.levels]:
        yield f"levels {', '.join('none' if at is None else level_name(at) for at in gone)}"
    if options.seeds < SEEDS or options.drawn < DRAWN:
        yield (
            f"problems: {options.seeds} of each level instead of {SEEDS}, and {options.drawn} "
            f"instead of {DRAWN} for programs that do not solve"
        )
    fewest = {
        report.task: min(
            (one.solved.total for at in report.levels for one in at.programs), default=0
        )
        for report in reports
    }
    wanted = 0.9 * min(FIRST_LOOK, options.drawn)  # a few problems can't be won
    if slow := [f"{task} ({n})" for task, n in fewest.items() if n < wanted]:
        yield f"problems of slow tasks, which have fewer for such programs: {', '.join(slow)}"


def _missing() -> list[str]:
    return [name for name in FITTING if importlib.util.find_spec(name) is None]


async def probed(
    options: argparse.Namespace, stack: contextlib.AsyncExitStack
) -> tuple[WorkerPool, list[TaskReport]]:
    """Start pools, which `stack` closes, and probe the tasks; print a line for each.

    Returns:
        The pool of the problems, and a report for each task.

    Raises:
        BadUsage: a task is unknown, or a user's own tasks can't be loaded.
        PoolBroken: no worker can be started.
    """
    tested = await _start_pool(options, stack)
    categories = tested.task_categories or KNOWN_TASKS
    tasks = _choose_tasks(categories, options.tasks or sorted(tested.own_tasks))
    slow_first = sorted(tasks, key=_problems)  # else one is left at the end
    place: Place = (
        _cluster(options, stack, _start_pools)
        if options.ray
        # One more than workers, so that none waits while programs are fitted here.
        else Here(await _start_pools(options, stack, tested), calls=options.workers + 1)
    )
    effort = Effort(options.seeds, options.drawn, not _missing(), options.problems)
    finished = 0
    with Progress("Validating", total=len(tasks), unit="tasks") as progress:

        async def probe(task: str) -> TaskReport:
            nonlocal finished
            levels = options.levels[:1] if task in tested.fixed_tasks else options.levels
            report = await place.run(_probe, task, categories[task], effort, levels)
            report = replace(report, coverage=tested.coverage.state(task))
            finished += 1
            progress.advance()
            progress.write(f"{finished}/{len(tasks)} {task_line(report)}")
            return report

        reports = dict(zip(slow_first, await asyncio.gather(*map(probe, slow_first)), strict=True))
        return tested, [reports[task] for task in tasks]


async def _probe(
    pools: Pools, task: str, category: str, effort: Effort, levels: Sequence[float | None]
) -> TaskReport:
    return await probe_task(task, category, pools, effort, levels=levels)


def _problems(task: str) -> int:
    """Return how many problems were made in time when a task was measured; few of slow tasks."""
    health = TASKS[task].health if task in TASKS else None
    return health.problems if health else 0


def _choose_tasks(categories: Mapping[str, str], words: Sequence[str]) -> list[str]:
    if COMPOSITE in words:
        raise BadUsage("--tasks: composite is made of other tasks: name those.")
    available = {task: name for task, name in categories.items() if task != COMPOSITE}
    try:
        return choose_tasks(available, words)
    except BadUsage as error:
        raise BadUsage(f"--tasks: {error}") from None


async def _rescore(options: argparse.Namespace, stack: contextlib.AsyncExitStack) -> int:
    paths = dump_files(options.dump)
    began = time.monotonic()
    place: Place = (
        _cluster(options, stack, _start_pool)
        if options.ray
        else Here(await _start_pool(options, stack), calls=CALLS * options.workers)
    )
    with Progress("Scoring", unit="groups") as progress:
        report = await rescore(paths, place, progress.advance)
    lines, scores = (report.errors, report.damaged), (report.disagreements, report.different)
    for found, number in (lines, scores):
        print(*found, sep="\n", end="\n" if found else "")
        if number > len(found):
            print(f"… and {number - len(found)} more.")
    print(f"{report.summary} ({len(paths)} files, {time.monotonic() - began:.0f} s)")
    return DONE if report.agrees else FAILED
