"""The command `export`: saved completions as data for fine-tuning and preference training.

With ``--problems``, export_problems.py writes new problems instead.
"""

import argparse
import asyncio
import contextlib
import functools
from collections.abc import Sequence

from rgenv.cli import export_problems
from rgenv.cli.parser import (
    CommandParser,
    add_setting,
    named_path,
    positive,
    require_existing,
    require_output,
)
from rgenv.errors import DONE, BadUsage, StartupError
from rgenv.export.best import MIN_SCORE_SPREAD, Exporter, Wanted
from rgenv.export.columns import COMPLETIONS, PAIRS
from rgenv.export.sink import ENDINGS, require_writable, sink
from rgenv.export.training_only import Sides
from rgenv.gym.settings import Settings, read_settings
from rgenv.runtime.files import naming
from rgenv.runtime.progress import Progress
from rgenv.runtime.shutdown import Shutdown, say_signal
from rgenv.task_names import KNOWN_TASKS, choose_tasks, parse_names
from rgenv.text import counted, file_size
from rgenv.types import SOLVED
from rgenv.worker.protocol import OWN

NAMES = {False: "best.jsonl", True: "pairs.jsonl"}
"""Whether pairs are exported -> the default name of the output."""

SHARES = (
    ("--min-level", None, "the lowest level; default: all"),
    ("--max-level", None, "the highest level; with a bound, default parameters are left out"),
    ("--min-score", SOLVED, "the least score of a best completion; default: %(default)s"),
    (
        "--min-score-spread",
        MIN_SCORE_SPREAD,
        "how much less the rejected completion of a pair scores, at least; default: %(default)s",
    ),
)


def main(words: Sequence[str]) -> int:
    """Run the command, and return 0."""
    if any(word.split("=")[0] == export_problems.OPTION for word in words):
        others = dict.fromkeys(_new_parser().names, "`export FOLDER`, without --problems")
        return export_problems.main(words, others)
    return asyncio.run(_export(_parse(words)))


def _new_parser() -> CommandParser:
    parser = CommandParser(
        "export",
        "Export the best completions of a run for fine-tuning, or pairs of a better and a worse "
        "one. Problems that are held out for evaluation are left out. `--problems N` writes new "
        "problems instead; `--problems 1 --help` lists its options.",
    )
    add = parser.add_argument
    read = "a folder with saved rollouts or groups of `process`, at any depth; or one such file"
    add("paths", nargs="+", type=named_path, metavar="FOLDER", help=read)
    add("--pairs", action="store_true", help="export pairs instead of single completions")
    names = f"ends with {' or '.join(ENDINGS)}; default: {' or '.join(NAMES.values())} in FOLDER"
    add("--output", type=named_path, metavar="FILE", help=names)
    add("--force", action="store_true", help="replace the output if it exists")
    add("--tasks", default="", metavar="A,B", help="names, categories or patterns; default: all")
    add_setting(parser, Settings, "task_modules")
    for option, default, text in SHARES:
        add(option, type=_share, default=default, metavar="X", help=text)
    most = "at most so many rows of a problem; default: %(default)s"
    add("--per-problem", type=positive, default=1, metavar="N", help=most)
    again = "processes that make each problem again, to see whether it is held out"
    add_setting(parser, Settings, "scoring_workers", again)
    return parser


def _share(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= (number := float(text)) <= 1:
            return number
    raise BadUsage(f"{text!r} is not a number from 0 to 1")


def _parse(words: Sequence[str]) -> argparse.Namespace:
    parser = _new_parser()
    names = export_problems.new_parser().names
    parser.elsewhere = dict.fromkeys(names, f"`export {export_problems.OPTION} N`")
    options = parser.read(words)
    with parser.noting("--tasks: "):
        named = parse_names(options.tasks)
        own = dict.fromkeys(named, OWN) if options.task_modules else {}
        chosen = choose_tasks(own | KNOWN_TASKS, named, configured=["composite"])
        options.tasks = frozenset(chosen) if named else None  # None: of another release, too
    low, high = options.min_level, options.max_level
    if low is not None and high is not None and low > high:
        parser.wrong.append("--min-level is above --max-level: exchange them.")
    with parser.noting():
        require_existing(options.paths)
        first = options.paths[0]
        folder = first if first.is_dir() else first.parent
        options.output = output = options.output or folder / NAMES[options.pairs]
        require_output(output, ENDINGS)
        if output.exists() and not options.force:
            raise BadUsage(f"{output} exists: add --force to replace it, or name another file.")
        require_writable(output.parent, output.suffix)
    parser.require_right()
    return options


async def _export(options: argparse.Namespace) -> int:
    output, stack = options.output, contextlib.AsyncExitStack()
    wanted = Wanted(**{name: getattr(options, name) for name in Wanted.__dataclass_fields__})
    exporter = Exporter(options.paths, wanted, output.parent, ahead=4 * options.workers)
    stack.callback(exporter.close)

    async def work() -> None:
        with naming(output), Progress("Reading", unit="lines", brief=True) as progress:
            problems = exporter.choose(progress.advance)
        if output.resolve() in {path.resolve() for path in exporter.sources}:
            raise BadUsage(f"--output: {output} is a file of the run: name another.")
        if not exporter.sources:
            names = ", ".join(map(str, options.paths))
            raise BadUsage(
                f"{names}: here are no groups. Name a folder that `serve` or `process` wrote; "
                "`serve` saves rollouts only with dump_rollouts."
            )
        settings = read_settings(task_modules=options.task_modules, workers=options.workers)
        sides = Sides(settings)
        stack.push_async_callback(sides.close)
        with (
            Progress("Exporting", total=problems, unit="problems", brief=True) as progress,
            sink(output, PAIRS if options.pairs else COMPLETIONS) as write_row,
        ):
            await exporter.write(write_row, sides.of, progress.advance)
            if not exporter.rows:
                raise StartupError(f"Nothing can be exported. {exporter.summary}")

    say = functools.partial(say_signal, then="; nothing was written")
    await Shutdown().guard(work(), stack.aclose, say)
    rows = counted(exporter.rows, "pair" if options.pairs else "completion")
    written = f"{rows} of {counted(exporter.problems, 'problem')} in {output}"
    size = file_size(output.stat().st_size)
    print(f"{written} ({size}). {exporter.summary}".rstrip(), flush=True)
    return DONE
