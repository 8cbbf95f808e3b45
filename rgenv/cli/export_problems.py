"""`export --problems N FOLDER`: new problems as a data set, for trainers that read files."""

import argparse
import asyncio
import contextlib
import functools
import itertools
import json
import os
import shlex
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path

from rgenv.cli.parser import CommandParser, add_setting, one_of, positive
from rgenv.errors import DONE, BadUsage, StartupError
from rgenv.evaluation.identity import scoring_version
from rgenv.export.columns import CONVENTIONS, EXAMPLE, Row, card, problem_row
from rgenv.export.numbered import make_numbered
from rgenv.export.sink import ENDINGS, count_rows, require_writable, sink
from rgenv.gym.gym import MOST_HELD_OUT, Gym
from rgenv.gym.settings import Settings, read_settings
from rgenv.runtime.files import write_atomic
from rgenv.runtime.owned_lock import OwnedLock
from rgenv.runtime.progress import Progress
from rgenv.runtime.shutdown import Shutdown, say_signal
from rgenv.task_names import HARDENED, LIBRARY, PROBLEMS, parse_levels, parse_names
from rgenv.text import counted

OPTION = "--problems"

SPLITS = TRAIN, HELD_OUT = "train", "held_out"

ROWS_IN_A_FILE = 10_000
"""Rows of a file of the data set. A repeated command keeps the files before the first missing."""

RANDOM = "random"
HELD_OUT_LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Levels of held-out problems where those of training are random."""

CARD, LOCK, NOTE = "README.md", "rgenv.lock", "rgenv.json"
"""The card of a data set, its lock, and what decides its content."""

DECISIVE = ("problems", "source", "levels", "seed", "held_out", "split", "to", "columns")
"""The options that decide it, beside the tasks."""

NumberedRows = AsyncGenerator[tuple[int, Row], None]


def main(words: Sequence[str]) -> int:
    """Run the command, and return 0.

    Raises:
        BadUsage: an option makes no sense.
        StartupError: the workers can't start.
        SystemExit: with 130 or 143 after a signal.
    """
    options = _parse(words)
    require_writable(options.folder, options.ending)
    return asyncio.run(_write(options, shlex.join(["rgenv", "export", *words])))


def _new_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        f"export {OPTION} N",
        "Write new problems as a data set: files of problems for training and of held-out "
        "problems, and a card. The same options make the same data set. After an interruption, "
        "the same command goes on.",
    )
    add = parser.add_argument
    number = functools.partial(add, metavar="N")
    add("folder", type=Path, metavar="FOLDER", help="where the data set is written")
    number(
        OPTION,
        type=lambda text: text if text in PROBLEMS else positive(text),
        action="append",
        required=True,
        help=f"problems for training; a second time, `{OPTION} {HARDENED}` for harder ones of our "
        "own in the tasks that have them",
    )
    both = list(SPLITS)
    add("--split", type=parse_names, default=both, metavar="A,B", help=f"of {', '.join(SPLITS)}")
    number(
        "--held-out",
        type=functools.partial(positive, most=MOST_HELD_OUT),
        default=20,
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
    number("--seed", type=int, default=42, help="default: %(default)s")
    for option, choices, more in (
        ("--to", [ending.removeprefix(".") for ending in ENDINGS], "; parquet: an extra"),
        ("--columns", CONVENTIONS, ""),
    ):
        names, help = "|".join(choices), f"default: %(default)s{more}"
        add(option, type=one_of(choices), default=choices[0], metavar=names, help=help)
    add("--ray", metavar="ADDRESS", help="make them in a Ray cluster: auto, local or its address")
    add("--force", action="store_true", help="replace a data set of other settings")
    add_setting(parser, Settings, "scoring_workers", "processes")
    return parser


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
    if not options.split or (wrong := set(options.split).difference(SPLITS)):
        named = ", ".join(sorted(wrong)) if options.split else "nothing"
        raise BadUsage(f"--split names {named}: write {TRAIN}, {HELD_OUT} or both.")
    try:
        options.levels = () if options.levels == RANDOM else tuple(parse_levels(options.levels))
    except BadUsage as error:
        raise BadUsage(f"--levels: {error} Alone, {RANDOM} draws each level.") from None
    if options.folder.exists() and not options.folder.is_dir():
        raise BadUsage(f"{options.folder} is a file: name a folder.")
    options.ending = f".{options.to}"
    return options


async def _write(options: argparse.Namespace, command: str) -> int:
    stack = contextlib.AsyncExitStack()
    counts = dict.fromkeys(options.split, 0)
    own = {"tasks": options.tasks, "task_modules": options.task_modules, "seed": options.seed}
    settings = {**own, "problems": options.source, "workers": options.workers}

    async def work() -> None:
        gym = await Gym.start(read_settings(**settings))
        stack.push_async_callback(gym.pool.close)
        lock = OwnedLock(options.folder / LOCK)
        stack.callback(lock.release)
        if not lock.acquire():
            raise StartupError(
                f"{lock.owner} writes {options.folder}: wait for it, or name another folder."
            )
        _begin(options, gym)
        make = functools.partial(_make_here, gym, options)
        if options.ray and TRAIN in counts:
            # Or a thread of Ray that a signal leaves behind connects again, and never ends.
            os.environ["RAY_ENABLE_AUTO_CONNECT"] = "0"
            from rgenv.adapters import ray  # which takes seconds to import

            ray.connect(options.ray)
            stack.callback(ray.disconnect)
            make = functools.partial(ray.numbered_rows, options.levels, options.columns, settings)
        for split in counts:
            writing = _held_out(options, gym) if split == HELD_OUT else _train(options, make)
            counts[split] = await writing
        page = card(
            counts,
            ending=options.ending,
            command=command,
            version=scoring_version(),
            task_modules=options.task_modules,
        )
        write_atomic(options.folder / CARD, page.encode(errors="replace"))

    say = functools.partial(say_signal, then="; the same command goes on where this one stopped")
    await Shutdown().guard(work(), stack.aclose, say)
    found = " and ".join(f"{count:,} in {split}" for split, count in counts.items())
    missing = options.problems - counts[TRAIN] if TRAIN in counts else 0
    said = f" {counted(missing, 'problem')} could not be made." if missing > 0 else ""
    print(f"{options.folder}: {found}.{said}", flush=True)
    return DONE


def _begin(options: argparse.Namespace, gym: Gym) -> None:
    """Keep the files of a data set of the same settings, and remove those of others.

    Raises:
        BadUsage: the folder has another data set, and ``--force`` is not given.
    """
    settings = {
        **{name: getattr(options, name) for name in DECISIVE},
        "sources": {task: gym.pool.coverage.source(task) for task in gym.task_names},
        "code": scoring_version(),
    }
    folder, written = options.folder, json.dumps(settings).encode() + b"\n"
    note, found = folder / NOTE, [p for p in folder.glob("data/*") if p.suffix in ENDINGS]
    if not note.exists() or note.read_bytes() != written:
        if not options.force and (found or note.exists() or (folder / CARD).exists()):
            raise BadUsage(
                f"{folder} has a {CARD} or a data set of other settings or of another "
                "version: add --force to replace it, or name another folder."
            )
        for path in found:
            path.unlink()
        write_atomic(note, written)
    for torn in folder.glob("data/*.tmp"):  # of a killed command
        torn.unlink()


async def _train(options: argparse.Namespace, make: Callable[[range], NumberedRows]) -> int:
    """Write the files of problems for training that follow the complete ones; count all rows.

    Args:
        make: yields the rows of the problems with some numbers, in order.
    """
    total, size = options.problems, ROWS_IN_A_FILE
    parts = [range(total)[first : first + size] for first in range(0, total, size)]
    files = [(_path(options, TRAIN, n, len(parts)), part) for n, part in enumerate(parts)]
    complete = [path for path, _ in itertools.takewhile(lambda file: file[0].exists(), files)]
    rows, done = sum(map(count_rows, complete)), min(total, size * len(complete))
    if done == total:
        return rows
    example = problem_row(options.columns, EXAMPLE, TRAIN, 0)
    with Progress("Making", total=total, unit="problems", initial=done, brief=True) as shown:
        async with contextlib.aclosing(make(range(done, total))) as made:
            found = await anext(made, None)
            for path, part in files[len(complete) :]:
                with sink(path, example) as write:
                    while found is not None and found[0] in part:
                        write(found[1])
                        rows += 1
                        shown.advance(found[0] + 1 - done)
                        done = found[0] + 1
                        found = await anext(made, None)
    return rows


async def _make_here(gym: Gym, options: argparse.Namespace, numbers: range) -> NumberedRows:
    async with contextlib.aclosing(make_numbered(gym, options.levels, numbers)) as made:
        async for n, problem in made:
            yield n, problem_row(options.columns, problem, TRAIN, n)


async def _held_out(options: argparse.Namespace, gym: Gym) -> int:
    """Write the file of held-out problems, and return how many it has."""
    sets = gym.evaluation_set(options.held_out, options.levels or HELD_OUT_LEVELS)
    problems = await sets.of_tasks(gym.task_names)
    new_row = functools.partial(problem_row, options.columns)
    with sink(_path(options, HELD_OUT, 0, 1), new_row(EXAMPLE, HELD_OUT, 0)) as write:
        for n, problem in enumerate(problems):
            write(new_row(problem, HELD_OUT, n))
    return len(problems)


def _path(options: argparse.Namespace, split: str, n: int, of: int) -> Path:
    """Return the path of a file, as hubs name the parts of a split."""
    return Path(options.folder, f"data/{split}-{n:05}-of-{of:05}{options.ending}")
