"""`export --problems N FOLDER`: new problems as a data set, for trainers that read files."""

import argparse
import asyncio
import contextlib
import functools
import os
import shlex
from collections.abc import Sequence
from dataclasses import fields

from rgenv.cli.parser import CommandParser, add_setting, named_path, one_of, positive
from rgenv.errors import DONE, BadUsage, StartupError
from rgenv.export.columns import CONVENTIONS
from rgenv.export.problem_set import HELD_OUT, SPLITS, TRAIN, ProblemSet
from rgenv.export.sink import ENDINGS, require_writable
from rgenv.gym.gym import MOST_HELD_OUT, Gym
from rgenv.gym.settings import Settings, read_settings
from rgenv.runtime.owned_lock import OwnedLock
from rgenv.runtime.shutdown import Shutdown, say_signal
from rgenv.task_names import HARDENED, LIBRARY, PROBLEMS, parse_levels, parse_names
from rgenv.text import counted

OPTION = "--problems"

RANDOM = "random"

LOCK = "rgenv.lock"
"""The lock of the folder of a data set."""


def main(words: Sequence[str], others: dict[str, str]) -> int:
    """Run the command, and return 0; `others` are options of the other form of `export`."""
    options = _parse(words, others)
    repeatable = [word for word in words if word != "--force"]
    return asyncio.run(_write(options, shlex.join(["rgenv", "export", *repeatable])))


def new_parser() -> CommandParser:
    """Return the parser of this form of the command."""
    parser = CommandParser(
        f"export {OPTION} N",
        "Write new problems as a data set: files of problems for training and of held-out "
        "problems, and a card. The same options make the same data set. After an interruption, "
        "the same command goes on.",
    )
    add = parser.add_argument
    number = functools.partial(add, metavar="N")
    add("folder", type=named_path, metavar="FOLDER", help="where the data set is written")
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
        type=_levels,
        default="none",
        metavar="X,Y",
        help=f"levels from 0 to 1, none for default parameters, or {RANDOM}; default: %(default)s",
    )
    add_setting(parser, Settings, "seed")
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


def _levels(text: str) -> tuple[float | None, ...]:
    """Read levels; none stand for random ones."""
    try:
        return () if text == RANDOM else tuple(parse_levels(text))
    except BadUsage as error:
        raise BadUsage(f"{error} Alone, {RANDOM} draws each level.") from None


def _parse(words: Sequence[str], others: dict[str, str]) -> argparse.Namespace:
    parser = new_parser()
    parser.elsewhere = others
    options = parser.read(words)
    counts = [one for one in options.problems if isinstance(one, int)]
    sources = [one for one in options.problems if isinstance(one, str)]
    if len(counts) != 1 or len(sources) > 1:
        parser.wrong.append(
            f"{OPTION} says how many problems, once, and once more which: write "
            f"`{OPTION} 1000 {OPTION} {HARDENED}`."
        )
    if not options.split or (wrong := set(options.split).difference(SPLITS)):
        named = ", ".join(sorted(wrong)) if options.split else "nothing"
        parser.wrong.append(f"--split names {named}: write {TRAIN}, {HELD_OUT} or both.")
    with parser.noting():
        if options.folder.is_file():
            raise BadUsage(f"{options.folder} is a file: name a folder.")
        require_writable(options.folder, f".{options.to}")
    parser.require_right()
    [options.problems], [options.source] = counts, sources or [LIBRARY]
    return options


async def _write(options: argparse.Namespace, command: str) -> int:
    stack, folder = contextlib.AsyncExitStack(), options.folder
    wanted = ProblemSet(**{one.name: getattr(options, one.name) for one in fields(ProblemSet)})
    counts = dict.fromkeys(wanted.split, 0)
    own = {"tasks": options.tasks, "task_modules": options.task_modules, "seed": wanted.seed}
    settings = {**own, "problems": wanted.source, "workers": options.workers}

    async def work() -> None:
        gym = await Gym.start(read_settings(**settings))
        stack.push_async_callback(gym.pool.close)
        lock = OwnedLock(folder / LOCK)
        stack.callback(lock.release)
        if not lock.acquire():
            raise StartupError(
                f"{lock.owner} writes {folder}: wait for it, or name another folder."
            )
        wanted.begin(folder, gym, force=options.force)
        make = functools.partial(wanted.make_rows, gym)
        if options.ray and TRAIN in counts:
            # Or a thread of Ray that a signal leaves behind connects again, and never ends.
            os.environ["RAY_ENABLE_AUTO_CONNECT"] = "0"
            from rgenv.adapters import ray  # which takes seconds to import

            ray.connect(options.ray)
            stack.callback(ray.disconnect)
            make = functools.partial(ray.numbered_rows, wanted.levels, wanted.columns, settings)
        for split in counts:
            held_out = split == HELD_OUT
            writing = (
                wanted.write_held_out(folder, gym) if held_out else wanted.write_train(folder, make)
            )
            counts[split] = await writing
        wanted.write_card(folder, counts, command, options.task_modules)

    say = functools.partial(say_signal, then="; the same command goes on where this one stopped")
    await Shutdown().guard(work(), stack.aclose, say)
    found = " and ".join(f"{count:,} in {split}" for split, count in counts.items())
    missing = wanted.problems - counts[TRAIN] if TRAIN in counts else 0
    said = f" {counted(missing, 'problem')} could not be made." if missing > 0 else ""
    print(f"{folder}: {found}.{said}", flush=True)
    return DONE
