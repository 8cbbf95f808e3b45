"""CommandParser: the command line of a command that needs no Atropos.

::

    parser = CommandParser("view", "Show the groups and the curves of a run in one HTML page.")
    parser.add_argument("paths", nargs="+")
    parser.parse_args(["--most"])    # BadUsage: … `reasoning_gym_environment.py view --help` …
"""

import argparse
import functools
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from rgenv.errors import BadUsage, MakeFailed, PoolBroken, StartupError, exit_code
from rgenv.text import did_you_mean, nearest, refusal

Main = Callable[[Sequence[str] | None], int]
"""Runs a command with words, by default those of this process; returns its exit code."""


def command(name: str) -> Callable[[Callable[[list[str]], int]], Main]:
    """Decorate the function of a command: what ends it becomes a sentence and an exit code."""

    def decorated(run: Callable[[list[str]], int]) -> Main:
        @functools.wraps(run)
        def main(words: Sequence[str] | None = None) -> int:
            try:
                return run(list(sys.argv[1:] if words is None else words))
            except BrokenPipeError:  # the reader has seen enough: the caller ends quietly
                raise
            except (BadUsage, StartupError, PoolBroken, MakeFailed) as error:
                print(f"error: {name}: {error}", file=sys.stderr)
                return exit_code(error)
            except OSError as error:
                where = error.filename or "standard output"
                print(f"error: {name}: {where}: {refusal(error)}.", file=sys.stderr)
                return exit_code(error)

        return main

    return decorated


class CommandParser(argparse.ArgumentParser):
    """A parser that raises BadUsage instead of printing its usage and exiting."""

    def __init__(self, command: str, description: str, **options: Any) -> None:
        program = f"{Path(sys.argv[0]).name} {command}"  # as it was called
        super().__init__(program, description=description, allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        if missing := re.match(r"argument (--[\w.-]+).*expected (?:at least )?one arg", message):
            raise BadUsage(f"{missing[1]} needs a value: write {missing[1]} VALUE.")
        unknown = re.search(r"unrecognized arguments: --([\w.-]+)", message)
        words = [word[2:] for action in self._actions for word in action.option_strings]
        near = nearest(unknown[1], words) if unknown else []
        hint = did_you_mean([f"--{word}" for word in near])
        raise BadUsage(f"{message}; `{self.prog} --help` lists the options.{hint}")


def one_of(words: Sequence[str]) -> Callable[[str], str]:
    """Return what reads one of some words; for the `type` of an argument."""

    def read(text: str) -> str:
        if text not in words:
            raise argparse.ArgumentTypeError(f"write {' or '.join(words)}, not {text!r:.80}")
        return text

    return read


MOST = 10**9
"""The largest number of things that a command takes."""


def natural(text: str) -> int:
    """Read a whole number from 0; for the `type` of an argument."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def positive(text: str, most: int = MOST) -> int:
    """Read a positive whole number; for the `type` of an argument."""
    if not text.isdecimal() or not text.strip("0"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    if len(text) > len(str(most)) or int(text) > most:
        raise argparse.ArgumentTypeError(f"{text:.80} is more than {most}")
    return int(text)
