"""The frame of a program that runs a training loop: options, child processes, exit code.

def main(words=None):
    options = parse(words)
    return run_command(lambda children: loop(children, options), logs=options.output)
"""

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from rgenv.errors import DONE, BadUsage, StartupError, exit_code
from rgenv.runtime.preflight import address_problem, file_on_path
from rgenv.runtime.shutdown import Shutdown

from .processes import ChildFailed, Children
from .trainer import TrainerError


class RunFailed(RuntimeError):
    """The training loop failed. The message says why."""


def run_command(work: Callable[[Children], Coroutine[Any, Any, None]], *, logs: Path) -> int:
    """Run `work`, stop its child processes, and return the exit code.

    A failure is printed to stderr.

    Args:
        work: called with the children, which it may start.
        logs: the folder for the children's log files; created if it is missing.

    Raises:
        SystemExit: a signal ended the program; the code is 128 plus its number.
    """

    async def guarded() -> None:
        logs.mkdir(parents=True, exist_ok=True)
        children = Children(logs)
        await Shutdown().guard(work(children), children.close)

    try:
        asyncio.run(guarded())
    except (BadUsage, StartupError, RunFailed, ChildFailed, TrainerError, OSError) as error:
        print(f"Failed: {error}", file=sys.stderr)
        return exit_code(error)
    return DONE


def port_number(text: str) -> int:
    """Parse the number of a port from the command line; 0 stands for a free one."""
    if not text.isdecimal() or len(text) > 5 or int(text) >= 2**16:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: write a number from 0 to 65535")
    return int(text)


def address(text: str) -> str:
    """Parse the URL of a server from the command line."""
    if problem := address_problem(text):
        raise argparse.ArgumentTypeError(problem)
    return text.rstrip("/")


def output_folder(text: str) -> Path:
    """Parse the path of a folder to write into from the command line; it need not exist."""
    path = Path(text).resolve()
    if file := file_on_path(path):
        raise argparse.ArgumentTypeError(f"{file} is a file, not a folder")
    return path


def existing_folder(text: str) -> Path:
    """Parse the path of a folder that exists from the command line."""
    if not (path := Path(text)).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text}")
    return path
