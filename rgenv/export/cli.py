"""The command `export`: saved completions as data for fine-tuning and preference training.

With ``--problems``, problems_cli.py writes new problems instead.
"""

import argparse
import asyncio
import contextlib
import functools
from collections.abc import Sequence
from pathlib import Path

from rgenv.cli.fields import add_setting
from rgenv.cli.parser import CommandParser, command, positive
from rgenv.errors import DONE, BadUsage, StartupError
from rgenv.export import formats, problems_cli
from rgenv.export.choice import MIN_SCORE_SPREAD, Rules
from rgenv.export.exporter import Exporter, Wanted
from rgenv.export.sides import Sides
from rgenv.gym.settings import Settings
from rgenv.pool import task_modules
from rgenv.runtime.progress import Progress
from rgenv.runtime.shutdown import Shutdown, say_signal
from rgenv.task_names import KNOWN_TASKS, choose_tasks, parse_names
from rgenv.types import SOLVED
from rgenv.worker.protocol import OWN

BEST, PAIRS = "best.jsonl", "pairs.jsonl"


@command("export")
def main(words: list[str]) -> int:
    """Run the command; return 0 (done), 1 (nothing to export, the disk refuses) or 2 (bad usage).

    Raises:
        SystemExit: with 130 or 143 after a signal.
    """
    if any(word.split("=")[0] == problems_cli.OPTION for word in words):
        return problems_cli.main(words)
    options = _parse(words)
    formats.require_format(options.output)
    exporter = _choose(options)
    return asyncio.run(_write(exporter, options))


def _new_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        "export",
        "Export the best completions of a run for fine-tuning, or pairs of a better and a worse "
        "one. Problems that are held out for evaluation are left out. `--problems N` writes new "
        "problems instead; `--problems 1 --help` lists its options.",
    )
    add = parser.add_argument
    add(
        "paths",
        nargs="+",
        type=Path,
        metavar="FOLDER",
        help="a folder with saved rollouts or groups of `process`, at any depth; or one such file",
    )
    add("--pairs", action="store_true", help="export pairs instead of single completions")
    add(
        "--output",
        type=Path,
        metavar="FILE",
        help=f"ends with .jsonl or .parquet; default: {BEST} or {PAIRS} in the first folder",
    )
    add("--force", action="store_true", help="replace the output if it exists")
    add("--tasks", default="", metavar="A,B", help="names, categories or patterns; default: all")
    add_setting(parser, Settings, "task_modules")
    add("--min-level", type=_share, metavar="X", help="the lowest level; default: all")
    add(
        "--max-level",
        type=_share,
        metavar="X",
        help="the highest level; with a bound, default parameters have no level and are left out",
    )
    add(
        "--min-score",
        type=_share,
        default=SOLVED,
        metavar="X",
        help="the least score of a best completion, which also has the highest score of its "
        "group; default: %(default)s",
    )
    add(
        "--min-score-spread",
        type=_share,
        default=MIN_SCORE_SPREAD,
        metavar="X",
        help="how much less the rejected completion of a pair scores, at least; "
        "default: %(default)s",
    )
    add(
        "--per-problem",
        type=positive,
        default=1,
        metavar="N",
        help="at most so many rows of a problem; default: %(default)s",
    )
    add_setting(
        parser,
        Settings,
        "scoring_workers",
        "processes that make each problem again, to see whether it is held out",
    )
    return parser


def _parse(words: Sequence[str]) -> argparse.Namespace:
    options = _new_parser().parse_args(words)
    for path in options.paths:
        if not path.exists():
            raise BadUsage(f"{path} does not exist: name the folder of a run, or a file.")
    try:
        named = parse_names(options.tasks)
        own = dict.fromkeys(named, OWN) if options.task_modules else {}
        known = {**own, **KNOWN_TASKS}
        options.tasks = frozenset(choose_tasks(known, named, configured=["composite"]))
    except BadUsage as error:
        raise BadUsage(f"--tasks: {error}") from None
    options.task_modules = task_modules.found(options.task_modules)
    if not named:
        options.tasks = None  # also tasks of another release
    low, high = options.min_level, options.max_level
    if low is not None and high is not None and low > high:
        raise BadUsage("--min-level is above --max-level: exchange them.")
    if options.output is None:
        first = options.paths[0]
        folder = first if first.is_dir() else first.parent
        options.output = folder / (PAIRS if options.pairs else BEST)
    _require_output(options.output, force=options.force)
    return options


def _require_output(path: Path, *, force: bool) -> None:
    if path.is_dir() or path.suffix not in formats.ENDINGS:
        raise BadUsage(f"--output: {path}: name a file that ends with .jsonl or .parquet.")
    if not path.parent.is_dir():
        raise BadUsage(f"--output: {path.parent} is not a folder: create it first.")
    if path.exists() and not force:
        raise BadUsage(f"{path} exists: add --force to replace it, or name another file.")


def _share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return number


def _choose(options: argparse.Namespace) -> Exporter:
    """Read the files, and choose what is exported.

    Raises:
        BadUsage: there are no groups, or the output is one of the files.
        StartupError: nothing is to be exported.
    """
    rules = Rules(
        pairs=options.pairs,
        min_score=options.min_score,
        min_score_spread=options.min_score_spread,
        per_problem=options.per_problem,
    )
    wanted = Wanted(options.tasks, options.min_level, options.max_level)
    exporter = Exporter(options.paths, rules, wanted, ahead=4 * options.workers)
    with Progress("Reading", unit="lines", brief=True) as progress:
        options.groups = exporter.choose(progress.advance)
    if options.output.resolve() in {path.resolve() for path in exporter.sources}:
        raise BadUsage(f"--output: {options.output} is a file of the run: name another.")
    if not exporter.sources:
        names = ", ".join(str(path) for path in options.paths)
        raise BadUsage(
            f"{names}: here are no groups. Name a folder that `serve` or `process` wrote; "
            "`serve` saves rollouts only with dump_rollouts."
        )
    if not options.groups:
        raise StartupError(f"Nothing can be exported. {exporter.report.summary}")
    return exporter


async def _write(exporter: Exporter, options: argparse.Namespace) -> int:
    stack = contextlib.AsyncExitStack()

    columns = formats.PAIRS if options.pairs else formats.COMPLETIONS

    async def work() -> None:
        sides = Sides(stack, workers=options.workers, task_modules=options.task_modules)
        with (
            Progress("Exporting", total=options.groups, unit="groups", brief=True) as progress,
            formats.sink(options.output, columns) as write_row,
        ):
            await exporter.write(write_row, sides.of, progress.advance)
            if not exporter.report.rows:
                raise StartupError(f"Nothing can be exported. {exporter.report.summary}")
            _require_output(options.output, force=options.force)  # another command may have ended

    await Shutdown().guard(
        work(), stack.aclose, functools.partial(say_signal, then="; nothing was written")
    )
    report = exporter.report
    kind = "pairs" if options.pairs else "completions"
    size = options.output.stat().st_size / 1e6
    written = f"{report.rows:,} {kind} of {report.problems:,} problems in {options.output}"
    print(f"{written} ({size:.1f} MB). {report.summary}".rstrip(), flush=True)
    return DONE
