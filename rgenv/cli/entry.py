"""The commands: what each is called and does, what runs it, and how it ends."""

import os
import pkgutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from rgenv import __version__
from rgenv.errors import (
    BAD_USAGE,
    DONE,
    FAILED,
    BadUsage,
    MakeFailed,
    PoolBroken,
    StartupError,
    exit_code,
)
from rgenv.pool.library import checkout_path
from rgenv.runtime.signals import end_on_signals
from rgenv.secrets import hidden_in_output, hide, remember_words
from rgenv.text import did_you_mean, nearest, refusal
from rgenv.worker.protocol import FROM_CHECKOUT

ENVIRONMENT = "reasoning_gym_environment:ReasoningGymEnv"
"""The class whose commands `main` runs. It is named, not imported, because that takes seconds."""

OF_ENVIRONMENT = "rgenv.atropos.command_line:read"
"""The function that reads the options of a command that needs the environment."""


COMMANDS = {
    "serve": "generate and score rollouts for a trainer, through the rollout API",
    "process": "generate and score rollouts into a file; no trainer needed",
    "evaluate": "answer the evaluation set once, and write a report",
    "profile": "find out which tasks a model can learn from, and write a configuration",
    "validate": "check tasks and their verifiers, or saved rollouts; no model needed",
    "view": "show the groups and the curves of a run in one HTML page",
    "export": "write the best completions of a run, or pairs, for fine-tuning",
    "tasks": "list the tasks, show problems of them, and score answers",
}
"""Command -> what it does."""

NEED_ENVIRONMENT = ("serve", "process", "evaluate", "profile")
"""The others have a module of their name beside this one, with a function `main`."""


@dataclass(frozen=True)
class Request:
    """What a command of the environment is asked to do, in typed values.

    Attributes:
        servers: the options of its inference servers; None: as the class has them.
        words: option -> its value as text, as it was given on the command line.
    """

    command: str
    config: Any
    servers: Any
    slurm: bool
    words: dict[str, str]
    file: str | None


Read = Callable[[str, list[str]], int | Request]
"""Reads the words of a command of an environment; the exit code if all is done, after its help."""


def main() -> None:
    """Run the command line of this process for `ENVIRONMENT`, and exit."""
    request = begin()
    env_cls = pkgutil.resolve_name(ENVIRONMENT)
    sys.exit(pkgutil.resolve_name("rgenv.atropos.command:run")(env_cls, request))


def begin() -> Request:
    """Answer the command line of this process and exit, or return what an environment has to do."""
    end_on_signals()
    with hidden_in_output():
        found = answer(sys.argv[1:])
    if isinstance(found, int):
        sys.exit(found)
    return found


def answer(words: Sequence[str], read: Read | None = None) -> int | Request:
    """Answer a command line and return the exit code, or else what an environment has to do.

    `read` reads the options of a class of one's own; None: those of `ENVIRONMENT`.
    """
    remember_words(words)
    if not words:
        print(usage(), file=sys.stderr)
        return BAD_USAGE
    (name, *rest), of_command = words, ""
    found: int | Request = DONE
    try:
        if name in ("-h", "--help"):
            print(usage())
        elif name == "--version":
            library = FROM_CHECKOUT if checkout_path() else metadata.version("reasoning-gym")
            print(f"rgenv {__version__}, reasoning-gym {library}")
        elif name not in COMMANDS:
            hint = did_you_mean(nearest(name, COMMANDS))
            raise BadUsage(
                f"There is no command {name!r}.{hint} The commands are {', '.join(COMMANDS)}."
            )
        elif name in NEED_ENVIRONMENT:
            found = (read or pkgutil.resolve_name(OF_ENVIRONMENT))(name, rest)
        else:
            of_command = f"{name}: "
            found = pkgutil.resolve_name(f"rgenv.cli.{name}:main")(rest)
        sys.stdout.flush()
        return found
    except BrokenPipeError:
        return reader_left()
    except OSError as error:
        where = error.filename or "standard output"
        print(f"error: {of_command}{where}: {refusal(error)}.", file=sys.stderr)
        return FAILED
    except (BadUsage, StartupError, PoolBroken, MakeFailed) as error:
        print(f"error: {of_command}{hide(str(error))}", file=sys.stderr)
        return exit_code(error)


def reader_left() -> int:
    """Return the exit code where the reader, such as `head`, has seen enough; drop the rest."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return DONE


def usage() -> str:
    """Return what the commands are."""
    program = Path(sys.argv[0]).name
    commands = "\n".join(f"  {name:<10} {about}" for name, about in COMMANDS.items())
    return (
        f"usage: {program} {{{','.join(COMMANDS)}}} [--OPTION ...]\n\n{commands}\n\n"
        "`COMMAND --help` lists the options and their defaults; --version shows the versions."
    )
