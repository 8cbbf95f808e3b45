"""The command `validate`: check tasks and verifiers, score saved rollouts again, or check rows.

It starts workers only: no model, no inference server, no rollout API.
"""

import argparse
import asyncio
import contextlib
import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from rgenv.cli.parser import CommandParser, add_setting, positive
from rgenv.cli.tasks import at
from rgenv.errors import DONE, FAILED, BadUsage
from rgenv.evaluation.rescore import dump_files, rescore
from rgenv.gym.gym import Gym
from rgenv.gym.settings import Settings, read_settings, start_pool
from rgenv.measured import health_in_words
from rgenv.pool.library import is_measured
from rgenv.pool.pool import WorkerPool
from rgenv.pool.process import TasksRefused
from rgenv.runtime.progress import Progress
from rgenv.runtime.shutdown import Shutdown, say_signal
from rgenv.task_names import (
    COMPOSITE,
    HARDENED,
    KNOWN_TASKS,
    choose_tasks,
    parse_levels,
    parse_names,
)
from rgenv.text import counted, table
from rgenv.validation.check import RULES, Pools, TaskReport, check_task
from rgenv.validation.row_check import RowReport, check_rows, read_rows

CALLS = 8
"""Saved groups that are scored at the same time, for each worker."""
MAX_LISTED = 20
"""The table has all tasks up to this number; of more tasks, only those with faults."""


def main(words: Sequence[str]) -> int:
    """Run the command; return 0 if everything is healthy or agrees, else 1."""
    return asyncio.run(_run(parse(words)))


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the command line, and refuse what is known to be wrong before any worker starts."""
    if words and not words[0].startswith("-"):
        raise BadUsage(f"{words[0]!r}: name tasks with --tasks, and files with --dump or --rows.")
    parser = _new_parser()
    options = parser.read(words)
    missing = (path for path in options.rows if not path.is_file())
    parser.wrong += [f"--rows: {path} is not a file." for path in missing]
    words_of_dumps, options.dump = options.dump, []
    for word in words_of_dumps:
        with parser.noting():
            options.dump += dump_files([word])
    if options.rows and words_of_dumps:
        parser.wrong.append("--rows and --dump: write one of them.")
    if is_measured() and not (options.task_modules or words_of_dumps or options.rows):
        with parser.noting():
            _choose_tasks(KNOWN_TASKS, options.tasks)
    parser.require_right()
    return options


def _new_parser() -> CommandParser:
    rules = "\n".join(f"  {rule:8}{meaning}" for rule, meaning in RULES.items())
    parser = CommandParser(
        "validate",
        "Check tasks and verifiers, score saved rollouts again, or check rows.",
        epilog=f"what a healthy task does:\n{rules}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    names = "names, categories or patterns; default: all, or those of --task-modules"
    add("--tasks", type=parse_names, default=[], metavar="A,B", help=names)
    add_setting(parser, Settings, "task_modules")
    levels = "none (a task's defaults) or numbers in [0, 1]; default: %(default)s"
    add("--levels", type=parse_levels, default="none,0,0.25,0.5,0.75,1", metavar="L,L", help=levels)
    seeds = "problems of each level; default: %(default)s"
    add("--seeds", type=positive, default=10, metavar="N", help=seeds)
    add_setting(parser, Settings, "problems")
    checked = "tasks checked at the same time; two more workers remake problems and score with the "
    add_setting(parser, Settings, "scoring_workers", f"{checked}other verifiers")
    ours = "use our corrected reference answers and verifiers where there are any"
    add_setting(parser, Settings, "strict_verifiers", ours)
    again = "score saved rollouts again instead: files, folders or patterns"
    add("--dump", nargs="+", default=[], metavar="FILE", help=again)
    rows = "check rows of reasoning-gym or of `export` instead: parquet or JSON lines"
    add("--rows", nargs="+", type=Path, default=[], metavar="FILE", help=rows)
    return parser


def _choose_tasks(categories: Mapping[str, str], words: Sequence[str]) -> list[str]:
    if COMPOSITE in words:
        raise BadUsage("--tasks: composite is made of other tasks: name those.")
    available = {task: name for task, name in categories.items() if task != COMPOSITE}
    try:
        return choose_tasks(available, words)
    except BadUsage as error:
        raise BadUsage(f"--tasks: {error}") from None


async def _run(options: argparse.Namespace) -> int:
    """Do what `options` say, and close all pools even if a signal ends it."""
    codes, stack = [], contextlib.AsyncExitStack()

    async def work() -> None:
        do = _rescore if options.dump else _check_rows if options.rows else _validate
        codes.append(await do(options, stack))

    await Shutdown().guard(work(), stack.aclose, say_signal)
    return codes[0]


async def _start(
    options: argparse.Namespace, stack: contextlib.AsyncExitStack, **other: int
) -> WorkerPool:
    """Start a pool with the settings of the options, or other ones; own tasks are tried later."""
    names = ("task_modules", "workers", "strict_verifiers")
    settings = {name: getattr(options, name) for name in names}
    pool = await start_pool(read_settings(**settings | other), tries_own=False)
    stack.push_async_callback(pool.close)
    return pool


async def _validate(options: argparse.Namespace, stack: contextlib.AsyncExitStack) -> int:
    tested, reports = await checked(options, stack)
    if shown := [report for report in reports if len(reports) <= MAX_LISTED or report.faults]:
        columns = ("task", "levels", "make s", "score s", "health")  # seconds are medians
        print(table(columns, [_row(report) for report in shown]))
        for line in itertools.chain.from_iterable(map(_fault_lines, shown)):
            print(line)
    if options.refused:
        print(f"Not checked: {options.refused}")
    print(_summary(reports, options.problems, tested.coverage.tasks("gone")))
    return FAILED if options.refused or not all(one.is_healthy for one in reports) else DONE


async def checked(
    options: argparse.Namespace, stack: contextlib.AsyncExitStack
) -> tuple[WorkerPool, list[TaskReport]]:
    """Start pools, which `stack` closes, and check the tasks; print a line for each.

    Modules that can't be loaded are left out, and `options.refused` says why.
    Returned are the pool of the problems, and a report for each task.
    """
    options.refused = ""
    try:
        tested = await _start(options, stack)
    except TasksRefused as error:
        left = [word for word in options.task_modules if word not in error.modules]
        if not left:
            raise
        options.task_modules, options.refused = left, str(error)
        tested = await _start(options, stack)
    categories = tested.task_categories or KNOWN_TASKS
    tasks = _choose_tasks(categories, options.tasks or sorted(tested.own_tasks))
    strict = options.strict_verifiers
    others = [
        await _start(options, stack, workers=1, strict_verifiers=s) for s in (not strict, strict)
    ]
    pools = Pools(tested, *others)
    free = asyncio.Semaphore(options.workers + 1)
    with Progress("Validating", total=len(tasks), unit="tasks") as progress:

        async def check(task: str) -> TaskReport:
            levels = options.levels[:1] if task in tested.fixed_tasks else options.levels
            async with free:
                report = await check_task(
                    task, pools, seeds=options.seeds, problems=options.problems, levels=levels
                )
            progress.advance()
            progress.write(f"{task}: {health_in_words(report.broken)}")
            return report

        return tested, await asyncio.gather(*map(check, tasks))


def _row(report: TaskReport) -> list[str]:
    source = "" if report.coverage == "covered" else f" [{report.coverage}]"
    return [
        report.task + source,
        ", ".join(at(one.level) for one in report.levels if "made" not in one.faults) or "none",
        f"{median([one.make_seconds for one in report.checked] or [0]):.3f}",
        f"{median([one.score_seconds for one in report.checked] or [0]):.4f}",
        health_in_words(report.broken),
    ]


def _fault_lines(report: TaskReport) -> Iterator[str]:
    """Yield a line for each broken rule: its fault at the first level, and the other levels."""
    for rule, [(first, text), *others] in report.faults.items():
        also = f"; also at {', '.join(at(level) for level, _ in others)}" if others else ""
        known = f" [known: {why}]" if (why := report.why(rule)) else ""
        if rule.startswith("wrong: ") and not known:
            known = f"; if that is right, say why in its record: accepted={{{rule!r}: '...'}}"
        yield f"{report.task}: {rule} at {at(first)}: {text}{also}{known}"


def _summary(reports: Sequence[TaskReport], asked: str, gone: Sequence[str]) -> str:
    """Return the numbers of tasks, problems and healthy tasks, and what our corrections cover."""
    unhealthy = sum(not one.is_healthy for one in reports)
    known = sum(bool(one.faults) for one in reports) - unhealthy
    problems = [one.problem for report in reports for one in report.checked]
    hardened = f", {sum(one.hardened for one in problems)} of them hardened"
    states = [(one.task, one.coverage if one.checked else "not made") for one in reports]
    others = [f"{task} [{state}]" for task, state in states if state != "covered"]
    covered = f"Covered: {len(reports) - len(others)} of {counted(len(reports), 'task')}"
    others += [f"{task} [gone]" for task in gone]
    if others:
        covered += f"; others: {', '.join(others)}"
    return (
        f"{counted(len(reports), 'task')}, {counted(len(problems), 'problem')}"
        f"{hardened if asked == HARDENED else ''}: {len(reports) - unhealthy} healthy "
        f"({known} of them with known faults), {unhealthy} unhealthy\n"
        f"{covered}."
    )


async def _rescore(options: argparse.Namespace, stack: contextlib.AsyncExitStack) -> int:
    paths = list(dict.fromkeys(options.dump))
    began = time.monotonic()
    pool = await _start(options, stack)
    with Progress("Scoring", unit="lines") as progress:
        calls = CALLS * options.workers
        report = await rescore(paths, pool, calls=calls, advance=progress.advance)
    lines, scores = (report.errors, report.damaged), (report.disagreements, report.different)
    for found, number in (lines, scores):
        print(*found, sep="\n", end="\n" if found else "")
        if number > len(found):
            print(f"… and {number - len(found)} more.")
    print(f"{report.summary} ({counted(len(paths), 'file')}, {time.monotonic() - began:.0f} s)")
    return DONE if report.agrees else FAILED


async def _check_rows(options: argparse.Namespace, stack: contextlib.AsyncExitStack) -> int:
    """Print what is wrong with each row, and the numbers of all."""
    gym = Gym(Settings(task_modules=options.task_modules), await _start(options, stack))
    library = await _start(options, stack, workers=1, strict_verifiers=False)
    numbered = itertools.chain.from_iterable(map(read_rows, options.rows))
    reports: list[RowReport] = []
    with Progress("Checking", unit="rows") as progress:
        async for report in check_rows(numbered, gym, library, 2 * CALLS * options.workers):
            progress.advance()
            print(*report.lines, sep="\n", end="\n" if report.lines else "")
            reports.append(report)
    wrong = sum(one.is_wrong for one in reports)
    unjudged = sum(not one.is_judged for one in reports)
    texts, overpaid = sum(one.texts for one in reports), sum(one.overpaid for one in reports)
    print(
        f"{counted(len(reports), 'row')}: {wrong} with a wrong reference answer, {unjudged} not "
        f"judged; {counted(texts, 'text')}: the library pays {overpaid} that are wrong"
    )
    return FAILED if wrong or unjudged or overpaid or not reports else DONE
