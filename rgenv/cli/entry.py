"""Answer what needs no environment: help, mistakes in words, `validate` and `tasks`."""

import functools
import json
import os
import pkgutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rgenv.cli.arguments import Option, given
from rgenv.cli.help import ABOUT, command_help, usage
from rgenv.errors import BAD_USAGE, DONE, FAILED, BadUsage, MissingExtra, require_extra
from rgenv.runtime.signals import end_on_signals
from rgenv.secrets import hidden_in_output, hide, remember_words
from rgenv.text import did_you_mean, nearest, refusal

ENVIRONMENT = "reasoning_gym_environment:ReasoningGymEnv"
"""The class whose commands `main` runs. It is named, not imported, because that takes seconds."""

OWN = {
    "validate": "rgenv.validation.cli:main",
    "view": "rgenv.pages.cli:main",
    "export": "rgenv.export.export_completions:main",
    "tasks": "rgenv.catalog.cli:main",
}
"""Command that needs no environment -> its function. They are named, too: some import numpy."""

OPTIONS_FILE = Path(__file__).with_name("options.json")
"""The options of that class, written by scripts/generate_docs.py."""

OptionsOf = Callable[[str], Sequence[Option]]
"""Command -> its options."""

HELP = {"-h", "--help"}


@dataclass(frozen=True)
class Request:
    """A command line whose words are known.

    Attributes:
        words: the words after the command, as the user wrote them.
        values: option -> its value as text.
        content: the content of the configuration file; empty if there is none.
    """

    command: str
    words: list[str]
    values: dict[str, str]
    content: dict[str, Any]


def main() -> None:
    """Run the command line of this process for `ENVIRONMENT`, and exit."""
    end_on_signals()
    with hidden_in_output():
        found = answer(sys.argv[1:], known_options)
    if isinstance(found, int):
        sys.exit(found)
    pkgutil.resolve_name(ENVIRONMENT).cli()


def answer(words: Sequence[str], options_of: OptionsOf) -> int | Request:
    """Answer a command line that needs no environment, and return the exit code.

    Returns what an environment has to run instead, if the words are right and it needs one.
    """
    remember_words(words)
    try:
        found = _answer(list(words), options_of)
        sys.stdout.flush()
        return found
    except BadUsage as error:
        print(f"error: {hide(str(error))}", file=sys.stderr)
        return BAD_USAGE
    except MissingExtra as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        return reader_left()
    except OSError as error:  # of the text of a help
        print(f"error: standard output: {refusal(error)}.", file=sys.stderr)
        return FAILED


def reader_left() -> int:
    """Return the exit code where the reader of the output has seen enough, as in `--help | head`.

    What is printed from now on, also at the exit, is dropped.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return DONE


def _answer(words: list[str], options_of: OptionsOf) -> int | Request:
    program = Path(sys.argv[0]).name
    if not words:
        print(usage(program), file=sys.stderr)
        return BAD_USAGE
    command, *rest = words
    if command in HELP:
        print(usage(program))
    elif command in OWN:
        code: int = pkgutil.resolve_name(OWN[command])(rest)
        return code
    elif command in ABOUT and HELP & set(rest):
        print(command_help(program, command, options_of(command)))
    else:
        return read(words, options_of)
    return DONE


def read(words: Sequence[str], options_of: OptionsOf) -> Request:
    """Check the names of a command line and of its configuration file.

    Raises:
        BadUsage: a command, option, section or key is unknown, or the file can't be read.
        MissingExtra: Atropos is not installed.
    """
    command, *rest = words
    if command not in ABOUT:
        hint = did_you_mean(nearest(command, ABOUT))
        commands = ", ".join(ABOUT)
        raise BadUsage(f"There is no command {command!r}.{hint} The commands are {commands}.")
    if any(word.partition("=")[0] == "--testing" for word in rest):
        raise BadUsage("--testing is for programs that call the class themselves: leave it out.")
    require_extra("atropos", ["atroposlib"], f"`{command}`")
    from rgenv.cli import config_file  # imports yaml

    options = options_of(command)
    values = given(rest, options)
    content = config_file.read(values["config"], options) if "config" in values else {}
    return Request(command, rest, values, content)


@functools.cache
def known_options(command: str) -> list[Option]:
    """Return the options of a command of ReasoningGymEnv, without importing it."""
    stored = json.loads(OPTIONS_FILE.read_text(encoding="utf-8"))
    defaults = stored["defaults"].get(command, {})
    options = [Option(**fields) for fields in stored["options"]]
    return [replace(o, default=defaults.get(o.name, o.default)) for o in options]
