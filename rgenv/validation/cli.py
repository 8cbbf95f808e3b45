"""The command `validate`: are the tasks healthy, are saved rollouts scored as they are today?

    main(["--tasks", "arithmetic,*_sorting", "--seeds", "5"])      # 0, or 1 with a table of why
    main(["--dump", "data_dumps"])                                 # 0 when every score comes again

It needs no model, no inference server and no rollout API: the workers alone. Exit codes: 0 all is
well, 1 something is not, 2 bad usage, 130 and 143 when a signal ended it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import shlex
import signal
import sys
import time
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from tqdm import tqdm

from rgenv.errors import BadUsage, MissingReasoningGym, NoDump, PoolBroken
from rgenv.pool.library import checkout_path
from rgenv.pool.pool import WorkerPool
from rgenv.tasks import COMPOSITE, KNOWN_TASKS, choose_tasks
from rgenv.validation.health import TaskReport
from rgenv.validation.probe import Judges, probe_task
from rgenv.validation.report import as_json, outcome, page, terminal
from rgenv.validation.rescore import dump_files, rescore
from rgenv.worker.protocol import WorkerSettings

COMMAND = "python reasoning_gym_environment.py validate"
PAGE = "docs/TASKS.md"
SHOWN = 10
"""So many disagreements of a dump are printed."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        The exit code.
    """
    words = list(sys.argv[1:] if words is None else words)
    try:
        options = _options(words)
        work = _rescore(options) if options.dump else _validate(options, words)
        return asyncio.run(_until_terminated(work))
    except (BadUsage, NoDump) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except (MissingReasoningGym, PoolBroken, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence instead of the usage and a sentence."""
        raise BadUsage(f"validate: {message}; `{COMMAND} --help` lists the options.")


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(
        prog=COMMAND,
        description="Check tasks and their verifiers, or saved rollouts.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    # fmt: off
    add("--tasks", type=_names, default=[], metavar="A,B", help="names, categories or patterns")
    add("--levels", type=_levels, default=[None, 0.0, 0.5, 1.0], metavar="L,L",
        help="none (a task's defaults) or numbers in [0, 1]; default: none,0,0.5,1")
    add("--seeds", type=_positive, default=20, metavar="N", help="items a level; default: 20")
    add("--seed-base", type=int, default=0, metavar="N", help="the first seed; default: 0")
    add("--workers", type=_positive, default=2, metavar="N",
        help="tasks at a time; two more processes remake and give second opinions; default: 2")
    add("--strict-verifiers", type=_truth, default=True, metavar="BOOL",
        help="corrected labels, and verifiers of ours where there are any; default: true")
    add("--json", type=Path, metavar="PATH", help="write all that was measured")
    add("--markdown", type=Path, nargs="?", const=Path(PAGE), metavar="PATH",
        help=f"write the page of tasks; without a path: {PAGE}")
    add("--dump", nargs="+", metavar="FILE",
        help="no tasks, but saved rollouts: score files, folders or patterns again")
    # fmt: on
    return parser.parse_args(words)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _levels(text: str) -> list[float | None]:
    with contextlib.suppress(ValueError):
        levels = [None if word.lower() == "none" else float(word) for word in _names(text)]
        if levels and all(level is None or 0 <= level <= 1 for level in levels):
            return list(dict.fromkeys(levels))
    raise argparse.ArgumentTypeError(f"{text!r} is no list of none and numbers in [0, 1]")


def _positive(text: str) -> int:
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def _truth(text: str) -> bool:
    known = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
    if text.lower() not in known:
        raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")
    return known[text.lower()]


async def _until_terminated(work: Coroutine[Any, Any, int]) -> int:
    """Run `work`; on SIGTERM end it as Ctrl-C would, so that no worker is left."""
    task, ended = asyncio.ensure_future(work), []

    def end() -> None:
        ended.append(True)
        task.cancel()

    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end)
    try:
        return await task
    except asyncio.CancelledError:
        if not ended:
            raise
        print("Terminated.", file=sys.stderr)
        return 143


def _pool(*, workers: int, strict: bool) -> WorkerPool:
    settings = WorkerSettings(strict=strict, import_path=checkout_path())
    return WorkerPool(workers=workers, spares=0, settings=settings)


async def _validate(options: argparse.Namespace, words: Sequence[str]) -> int:
    for path in filter(None, (options.json, options.markdown)):
        _require_writable(path)
    strict = options.strict_verifiers
    async with _pool(workers=options.workers, strict=strict) as first:
        categories = dict(first.task_categories or KNOWN_TASKS)
        tasks = _chosen(categories, options.tasks)
        async with (
            _pool(workers=1, strict=not strict) as second,
            _pool(workers=1, strict=strict) as elsewhere,
        ):
            judges = Judges(first, second, elsewhere)
            reports = await _probe_all(options, tasks, categories, judges)
    print(terminal(reports))
    if options.json:
        how = {
            "reasoning_gym": first.version,
            "strict_verifiers": strict,
            "seeds": options.seeds,
            "seed_base": options.seed_base,
            "levels": options.levels,
        }
        content = json.dumps(as_json(reports, **how), indent=1)
        options.json.write_text(content + "\n", encoding="utf-8")
    if options.markdown:
        content = page(reports, made_by=shlex.join([*shlex.split(COMMAND), *_meant(words)]))
        options.markdown.write_text(content, encoding="utf-8")
    return int(not all(report.healthy for report in reports))


def _meant(words: Sequence[str]) -> list[str]:
    """`words` without the paths that results went to: what decides the results."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("--json", "--markdown"):
        parser.add_argument(name, nargs="?")
    return parser.parse_known_args(words)[1]


def _chosen(categories: Mapping[str, str], words: Sequence[str]) -> list[str]:
    if COMPOSITE in words:
        raise BadUsage("--tasks: composite is made of other tasks: name those.")
    try:
        return choose_tasks(categories, words)
    except ValueError as error:
        raise BadUsage(f"--tasks: {error}") from None


def _require_writable(path: Path) -> None:
    """Minutes of measuring are not to end at a folder that nobody may write to."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("a").close()
    except OSError as error:
        raise BadUsage(f"{path} can't be written ({error.strerror}): name another path.") from None


async def _probe_all(
    options: argparse.Namespace, tasks: Sequence[str], categories: dict[str, str], judges: Judges
) -> list[TaskReport]:
    """Reports in the order of `tasks`; as many tasks are under way as there are workers."""
    seeds = range(options.seed_base, options.seed_base + options.seeds)
    gate = asyncio.Semaphore(options.workers)
    progress = _Progress(len(tasks), items=len(tasks) * len(options.levels) * len(seeds))

    async def probe(task: str) -> TaskReport:
        async with gate:
            report = await probe_task(
                task,
                categories[task],
                judges,
                levels=options.levels,
                seeds=seeds,
                tick=progress.item,
            )
            progress.task(report)
            return report

    with progress:
        return await asyncio.gather(*map(probe, tasks))


class _Progress:
    """A bar in a terminal, a line for each task elsewhere; on stderr, the table has stdout."""

    def __init__(self, tasks: int, *, items: int) -> None:
        self._tasks, self._done = tasks, 0
        self._bar = tqdm(
            total=items, unit=" items", desc="Validating", disable=not sys.stderr.isatty()
        )

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def item(self) -> None:
        self._bar.update()

    def task(self, report: TaskReport) -> None:
        self._done += 1
        if self._bar.disable:
            print(f"{self._done}/{self._tasks} {outcome(report)}", file=sys.stderr)
        elif not report.healthy:
            self._bar.write(outcome(report), file=sys.stderr)


async def _rescore(options: argparse.Namespace) -> int:
    """Score dumps again; what is compared is described in redump.py."""
    paths = dump_files(options.dump)
    began = time.monotonic()
    async with _pool(workers=options.workers, strict=options.strict_verifiers) as pool:
        with tqdm(unit=" groups", desc="Scoring", disable=not sys.stderr.isatty()) as bar:
            report = await rescore(paths, pool, bar.update)
    for line in (*report.errors, *report.disagreements[:SHOWN]):
        print(line)
    if len(report.disagreements) > SHOWN:
        print(f"… and {len(report.disagreements) - SHOWN} more.")
    print(f"{report.summary} ({len(paths)} files, {time.monotonic() - began:.0f} s)")
    return int(not report.agrees)
