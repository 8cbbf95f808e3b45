"""`export --problems N FOLDER`: new problems as a data set, for trainers that read files."""

import argparse
import asyncio
import contextlib
import functools
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rgenv.cli.fields import add_setting
from rgenv.cli.parser import CommandParser, positive
from rgenv.errors import DONE, BadUsage, StartupError
from rgenv.evaluation.identity import scoring_version
from rgenv.export import formats
from rgenv.export.problem_files import CARD, LOCK, ProblemFiles
from rgenv.gym.gym import MOST_HELD_OUT, Gym, start_gym
from rgenv.gym.settings import Settings, read_settings
from rgenv.problem_sets.columns import CONVENTIONS, card
from rgenv.problem_sets.numbered import Numbered, make_numbered
from rgenv.runtime.files import write_atomic
from rgenv.runtime.owned_lock import OwnedLock
from rgenv.runtime.parts import Here, Place, in_order
from rgenv.runtime.progress import Progress
from rgenv.runtime.shutdown import Shutdown, say_signal
from rgenv.task_names import HARDENED, LIBRARY, PROBLEMS, parse_levels, parse_names

OPTION = "--problems"

TRAIN, HELD_OUT = "train", "held_out"

ROWS_IN_A_FILE = 10_000
"""Rows of a file of the data set. A command that is repeated keeps the files that are complete."""

PART = 1_000
"""Problems that one machine makes at once."""

RANDOM = "random"
HELD_OUT_LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Levels of held-out problems where those of training are random."""


def main(words: Sequence[str]) -> int:
    """Run the command; return 0.

    Raises:
        BadUsage: an option makes no sense.
        StartupError: the workers can't start.
        SystemExit: with 130 or 143 after a signal.
    """
    options = _parse(words)
    formats.require_format(Path(f"rows{options.ending}"))
    return asyncio.run(_write(options, shlex.join(["rgenv", "export", *words])))


def _new_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        f"export {OPTION} N",
        "Write new problems as a data set: files of problems for training and of held-out "
        "problems, and a card. The same options make the same data set. After an interruption, "
        "the same command goes on.",
    )
    add = parser.add_argument
    add("folder", type=Path, metavar="FOLDER", help="where the data set is written")
    add(
        OPTION,
        type=_count_or_source,
        action="append",
        required=True,
        metavar="N",
        help=f"problems for training; a second time, `{OPTION} {HARDENED}` for harder ones of our "
        "own in the tasks that have them",
    )
    add(
        "--split",
        type=parse_names,
        default=[TRAIN, HELD_OUT],
        metavar="A,B",
        help=f"of {TRAIN}, {HELD_OUT}; default: both",
    )
    add(
        "--held-out",
        type=functools.partial(positive, most=MOST_HELD_OUT),
        default=20,
        metavar="N",
        help="held-out problems of each task at each level; default: %(default)s",
    )
    add("--tasks", default="", metavar="A,B", help="names, categories or patterns; default: all")
    add_setting(parser, Settings, "task_modules")
    add(
        "--levels",
        default="none",
        metavar="X,Y",
        help=f"levels from 0 to 1, none for default parameters, or {RANDOM}; default: %(default)s",
    )
    add("--seed", type=int, default=42, metavar="N", help="default: %(default)s")
    add(
        "--to",
        choices=[ending.removeprefix(".") for ending in formats.ENDINGS],
        default="jsonl",
        help="the kind of files; parquet needs an extra; default: %(default)s",
    )
    add(
        "--columns",
        choices=list(CONVENTIONS),
        default="plain",
        help="whose names the columns have; default: %(default)s",
    )
    add(
        "--ray",
        metavar="ADDRESS",
        help="make them in a Ray cluster: auto, local or its address; the files are the same",
    )
    add("--force", action="store_true", help="replace a data set of other settings")
    add_setting(parser, Settings, "scoring_workers", "processes")
    return parser


def _count_or_source(text: str) -> int | str:
    return text if text in PROBLEMS else positive(text)


def _parse(words: Sequence[str]) -> argparse.Namespace:
    options = _new_parser().parse_args(words)
    counts = [one for one in options.problems if isinstance(one, int)]
    sources = [one for one in options.problems if isinstance(one, str)]
    if len(counts) != 1 or len(sources) > 1:
        raise BadUsage(
            f"{OPTION} says how many problems, once, and once more which: write "
            f"`{OPTION} 1000 {OPTION} {HARDENED}`."
        )
    [options.problems], [options.source] = counts, sources or [LIBRARY]
    if not options.split or (wrong := set(options.split) - {TRAIN, HELD_OUT}):
        named = ", ".join(sorted(wrong)) if options.split else "nothing"
        raise BadUsage(f"--split names {named}: write {TRAIN}, {HELD_OUT} or both.")
    try:
        options.levels = () if options.levels == RANDOM else tuple(parse_levels(options.levels))
    except BadUsage as error:
        raise BadUsage(f"--levels: {error}") from None
    if options.folder.exists() and not options.folder.is_dir():
        raise BadUsage(f"{options.folder} is a file: name a folder.")
    options.ending = f".{options.to}"
    return options


async def _write(options: argparse.Namespace, command: str) -> int:
    stack = contextlib.AsyncExitStack()
    counts: dict[str, Counter[str]] = {split: Counter() for split in options.split}

    async def work() -> None:
        settings = read_settings(
            tasks=options.tasks,
            task_modules=options.task_modules,
            seed=options.seed,
            problems=options.source,
            workers=options.workers,
        )
        gym = await start_gym(settings)
        stack.push_async_callback(gym.pool.close)
        place: Place = Here(gym, calls=2)
        if options.ray:
            from rgenv.adapters.ray import Cluster  # Ray takes seconds to import

            start = functools.partial(start_gym, settings)
            cluster = Cluster(options.ray, start, processors=settings.scoring_workers)
            stack.push_async_callback(cluster.close)
            place = cluster
        lock = OwnedLock(options.folder / LOCK)
        stack.callback(lock.release)
        if not lock.acquire():
            raise StartupError(
                f"{lock.owner} writes {options.folder}: wait for it, or name another folder."
            )
        export = Export(options, gym, place)
        for split, count in counts.items():
            await (export.held_out(count) if split == HELD_OUT else export.train(count))
        page = card(counts, ending=options.ending, command=command, version=scoring_version())
        write_atomic(options.folder / CARD, page.encode(errors="replace"))

    await Shutdown().guard(
        work(),
        stack.aclose,
        functools.partial(say_signal, then="; the same command goes on where this one stopped"),
    )
    found = " and ".join(f"{count.total():,} in {split}" for split, count in counts.items())
    missing = options.problems - counts[TRAIN].total() if TRAIN in counts else 0
    said = f" {missing:,} problems could not be made." if missing > 0 else ""
    print(f"{options.folder}: {found}.{said}", flush=True)
    return DONE


class Export:
    """Writes the splits of a data set; the rows of complete files are counted, and not made again.

    Args:
        place: where the problems for training are made.

    Raises:
        BadUsage: the folder has another data set, and ``--force`` is not given.
    """

    def __init__(self, options: argparse.Namespace, gym: Gym, place: Place) -> None:
        self._options, self._gym, self._place = options, gym, place
        self._convention = CONVENTIONS[options.columns]
        same = ("problems", "source", "levels", "seed", "held_out", "split", "to", "columns")
        settings = {
            **{name: getattr(options, name) for name in same},
            "sources": {task: gym.pool.coverage.source(task) for task in gym.task_names},
            "code": scoring_version(),
        }
        self._files = ProblemFiles(
            options.folder, settings, ending=options.ending, force=options.force
        )

    async def train(self, count: Counter[str]) -> None:
        total = self._options.problems
        of = -(-total // ROWS_IN_A_FILE)
        missing = []
        for file in range(of):
            tasks = self._files.tasks(TRAIN, file, of)
            if tasks is None:
                missing.append(file)
            else:
                count.update(tasks)
        parts = [part for file in missing for part in _parts(file, total)]
        calls = (self._place.run(make_numbered, self._options.levels, part) for part in parts)
        done, title = total - sum(map(len, parts)), "Making problems"
        with Progress(title, total=total, unit="problems", initial=done, brief=True) as shown:
            async with contextlib.aclosing(in_order(calls, 2 * self._place.calls)) as made:
                for file in missing:
                    problems: list[Numbered] = []
                    for part in _parts(file, total):
                        problems += await anext(made)
                        shown.advance(len(part))
                    count.update(self._add(TRAIN, file, of, problems))

    async def held_out(self, count: Counter[str]) -> None:
        levels = self._options.levels or HELD_OUT_LEVELS
        sets = self._gym.evaluation_set(self._options.held_out, levels)
        problems = await sets.of_tasks(self._gym.task_names)
        count.update(self._add(HELD_OUT, 0, 1, list(enumerate(problems))))

    def _add(self, split: str, place: int, of: int, problems: Sequence[Numbered]) -> Counter[str]:
        tasks = Counter(problem.task for _, problem in problems)
        rows = (self._convention.row(problem, split, n) for n, problem in problems)
        columns = self._convention.columns
        self._files.add(split, place, of, rows=rows, columns=columns, tasks=tasks)
        return tasks


def _parts(file: int, total: int) -> list[range]:
    """Return the numbers of the problems of a file, in the parts that are made at once."""
    numbers = range(file * ROWS_IN_A_FILE, min((file + 1) * ROWS_IN_A_FILE, total))
    return [numbers[first : first + PART] for first in range(0, len(numbers), PART)]
