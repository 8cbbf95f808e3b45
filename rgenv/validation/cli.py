"""The command `validate`: check tasks and their verifiers, or score saved rollouts again.

::

    main(["--tasks", "arithmetic,*_sorting", "--seeds", "5"])      # 0, or 1 if a task is unhealthy
    main(["--dump", "data_dumps"])                                 # 0 if all scores are the same

It starts workers only: no model, no inference server, no rollout API.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import shlex
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rgenv.cli.parser import CommandParser, add_task_modules, positive
from rgenv.errors import DONE, FAILED, BadUsage, PoolBroken, StartupError, exit_code
from rgenv.extras import require_extra
from rgenv.pool import task_modules
from rgenv.pool.coverage import Coverage
from rgenv.pool.library import checkout_path
from rgenv.pool.pool import WorkerPool
from rgenv.runtime.progress import Progress
from rgenv.runtime.shutdown import Shutdown, Signalled
from rgenv.task_names import COMPOSITE, KNOWN_TASKS, choose_tasks, parse_levels, parse_names
from rgenv.validation.health import TaskReport
from rgenv.validation.page import health_of, markdown_page
from rgenv.validation.plot import plot_shortcuts
from rgenv.validation.probe import Pools, probe_task
from rgenv.validation.report import (
    as_json,
    coverage_line,
    task_line,
    terminal_table,
)
from rgenv.validation.rescore import dump_files, rescore
from rgenv.worker.protocol import WorkerSettings

COMMAND = "python reasoning_gym_environment.py validate"
"""What makes `PAGE`, as the page says."""
PAGE, PICTURE = "docs/TASKS.md", "tasks.png"
"""The page, and the picture in the same folder that it shows."""
MAX_DISAGREEMENTS = 10
"""The maximum number of disagreements of a dump that are printed."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        words: the command line without the name of the command; None takes `sys.argv`.

    Returns:
        The exit code: 0 if everything is healthy or agrees, 1 if not, 2 for bad usage.

    Raises:
        SystemExit: after `--help`, or with 130 or 143 after a signal.
    """
    words = list(sys.argv[1:] if words is None else words)
    try:
        return asyncio.run(_run(parse(words), words))
    except BrokenPipeError:  # the reader of the output has seen enough: the caller ends quietly
        raise
    except (BadUsage, StartupError, PoolBroken, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return exit_code(error)


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Return the options.

    Raises:
        BadUsage: a word is no option, or a value is none.
    """
    options = _new_parser().parse_args(words)
    options.tasks = parse_names(options.tasks)
    options.levels = _parse_levels(options.levels)
    return options


def _new_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "validate", "Check tasks and their verifiers, or score saved rollouts again."
    )
    add = parser.add_argument
    add(
        "--tasks",
        default="",
        metavar="A,B",
        help="names, categories or patterns; default: all, or those of --task-modules",
    )
    add_task_modules(parser)
    add(
        "--levels",
        default="none,0,0.25,0.5,0.75,1",
        metavar="L,L",
        help="none (a task's defaults) or numbers in [0, 1]; default: %(default)s",
    )
    add(
        "--seeds",
        type=positive,
        default=20,
        metavar="N",
        help="problems for each task and level; default: %(default)s",
    )
    add(
        "--tell-problems",
        type=_count,
        default=200,
        metavar="N",
        help="further problems of each level, for tasks with few answers: a classifier learns to "
        "predict the answer from the surface of the question; 0: none; default: %(default)s",
    )
    add("--seed-base", type=int, default=0, metavar="N", help="first seed; default: %(default)s")
    add(
        "--workers",
        type=positive,
        default=2,
        metavar="N",
        help="tasks checked at the same time; two more workers remake problems and score with "
        "the other verifiers; default: %(default)s",
    )
    add(
        "--strict-verifiers",
        type=_boolean,
        default=True,
        metavar="BOOL",
        help="use our corrected reference answers and verifiers where there are any; default: true",
    )
    add("--json", type=Path, metavar="PATH", help="write all measurements to this file")
    add(
        "--markdown",
        type=Path,
        nargs="?",
        const=Path(PAGE),
        metavar="PATH",
        help=f"write the page of tasks and its picture; default path: {PAGE}",
    )
    add(
        "--dump",
        nargs="+",
        metavar="FILE",
        help="score saved rollouts again instead: files, folders or patterns",
    )
    return parser


def _parse_levels(text: str) -> list[float | None]:
    try:
        return parse_levels(text)
    except BadUsage as error:
        raise BadUsage(f"--levels: {error}") from None


def _count(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _boolean(text: str) -> bool:
    known = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
    if text.lower() not in known:
        raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")
    return known[text.lower()]


async def _run(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Do what `options` say, and close all pools even if a signal ends it.

    Returns:
        The exit code.
    """
    code = FAILED
    stack = contextlib.AsyncExitStack()

    async def work() -> None:
        nonlocal code
        if options.dump:
            code = await _rescore(options, stack)
        else:
            code = await _validate(options, words, stack)

    await Shutdown().guard(work(), stack.aclose, _print_signal)
    return code


def _print_signal(error: BaseException | None) -> None:
    if isinstance(error, Signalled):
        print(f"Ended: {error}.", file=sys.stderr)


async def _start_pool(
    stack: contextlib.AsyncExitStack, options: argparse.Namespace, *, workers: int, strict: bool
) -> WorkerPool:
    settings = WorkerSettings(
        strict=strict,
        import_path=checkout_path(),
        task_modules=task_modules.found(options.task_modules),
    )
    pool = WorkerPool(workers=workers, spares=0, settings=settings)
    stack.push_async_callback(pool.close)  # also if a signal interrupts its start
    await pool.start()
    return pool


async def _validate(
    options: argparse.Namespace, words: Sequence[str], stack: contextlib.AsyncExitStack
) -> int:
    if options.markdown:
        require_extra("report", ["matplotlib"], "The picture of `--markdown`")
    for path in filter(None, (options.json, options.markdown)):
        _require_writable(path)
    tested, reports = await probed(options, stack)
    print(terminal_table(reports))
    print(coverage_line(reports, tested.coverage.tasks("gone")))
    if options.json:
        content = as_json(
            reports,
            reasoning_gym=tested.version,
            strict_verifiers=options.strict_verifiers,
            seeds=options.seeds,
            seed_base=options.seed_base,
            levels=options.levels,
        )
        options.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if options.markdown:
        made_by = shlex.join([*shlex.split(COMMAND), *_without_output_paths(words)])
        page = markdown_page([(one, health_of(one)) for one in reports], made_by=made_by)
        options.markdown.write_text(page, encoding="utf-8")
        plot_shortcuts(reports, options.markdown.with_name(PICTURE))
    return DONE if all(report.healthy for report in reports) else FAILED


async def probed(
    options: argparse.Namespace, stack: contextlib.AsyncExitStack
) -> tuple[WorkerPool, list[TaskReport]]:
    """Start pools, which `stack` closes, and probe the tasks.

    Returns:
        The pool of the problems, and a report for each task.

    Raises:
        BadUsage: a task is unknown, or a user's own tasks can't be loaded.
        PoolBroken: no worker can be started.
    """
    strict = options.strict_verifiers
    tested = await _start_pool(stack, options, workers=options.workers, strict=strict)
    categories = tested.task_categories or KNOWN_TASKS
    tasks = _choose_tasks(categories, options.tasks or sorted(tested.own_tasks))
    other_verifiers = await _start_pool(stack, options, workers=1, strict=not strict)
    remaking = await _start_pool(stack, options, workers=1, strict=strict)
    reports = await _probe_all(
        {task: categories[task] for task in tasks},
        Pools(tested, other_verifiers, remaking),
        levels=options.levels,
        fixed=tested.fixed_tasks,
        coverage=tested.coverage,
        seeds=range(options.seed_base, options.seed_base + options.seeds),
        tell_problems=options.tell_problems,
        concurrency=options.workers,
    )
    return tested, reports


def _require_writable(path: Path) -> None:
    """Create the folder of `path` and open the file, before minutes of measuring.

    Raises:
        BadUsage: the file can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("a").close()
    except OSError as error:
        raise BadUsage(f"{path} can't be written ({error.strerror}): name another path.") from None


def _choose_tasks(categories: Mapping[str, str], words: Sequence[str]) -> list[str]:
    if COMPOSITE in words:
        raise BadUsage("--tasks: composite is made of other tasks: name those.")
    available = {task: name for task, name in categories.items() if task != COMPOSITE}
    try:
        return choose_tasks(available, words)
    except BadUsage as error:
        raise BadUsage(f"--tasks: {error}") from None


def _without_output_paths(words: Sequence[str]) -> list[str]:
    """Return the options that influence the results: all but those of files."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("--json", "--markdown"):
        parser.add_argument(name, nargs="?")
    return parser.parse_known_args(words)[1]


async def _probe_all(
    tasks: Mapping[str, str],
    pools: Pools,
    *,
    levels: Sequence[float | None],
    fixed: Collection[str],
    coverage: Coverage,
    seeds: Sequence[int],
    tell_problems: int,
    concurrency: int,
) -> list[TaskReport]:
    """Probe tasks, `concurrency` of them at the same time, and print a line for each.

    Args:
        tasks: name -> category.
        fixed: tasks without levels, of which the first of `levels` is probed.

    Returns:
        The reports in the order of `tasks`.
    """
    limit = asyncio.Semaphore(concurrency)
    finished = 0
    levels_of = {task: levels[:1] if task in fixed else levels for task in tasks}
    total = sum(map(len, levels_of.values())) * len(seeds)
    with Progress("Validating", total=total, unit="problems") as progress:

        async def probe(task: str, category: str) -> TaskReport:
            nonlocal finished
            async with limit:
                report = await probe_task(
                    task,
                    category,
                    pools,
                    levels=levels_of[task],
                    seeds=seeds,
                    tell_problems=tell_problems,
                    advance=progress.advance,
                )
            report = replace(report, coverage=coverage.state(task))
            finished += 1
            progress.write(f"{finished}/{len(tasks)} {task_line(report)}")
            return report

        return await asyncio.gather(*(probe(*task) for task in tasks.items()))


async def _rescore(options: argparse.Namespace, stack: contextlib.AsyncExitStack) -> int:
    paths = dump_files(options.dump)
    began = time.monotonic()
    strict = options.strict_verifiers
    pool = await _start_pool(stack, options, workers=options.workers, strict=strict)
    with Progress("Scoring", unit="groups") as progress:
        report = await rescore(paths, pool, progress.advance)
    for line in (*report.errors, *report.disagreements[:MAX_DISAGREEMENTS]):
        print(line)
    if len(report.disagreements) > MAX_DISAGREEMENTS:
        print(f"… and {len(report.disagreements) - MAX_DISAGREEMENTS} more.")
    print(f"{report.summary} ({len(paths)} files, {time.monotonic() - began:.0f} s)")
    return DONE if report.agrees else FAILED
