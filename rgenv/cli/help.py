"""What `--help` prints.

This file imports nothing heavy, because help is printed before Atropos is imported.
"""

import itertools
import shutil
import textwrap
from collections.abc import Iterable

from rgenv.cli.arguments import SHORT_OPTIONS, Option

ABOUT = {
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

MAX_WIDTH = 100
"""The maximum number of characters in a line."""


def usage(program: str) -> str:
    commands = "\n".join(f"  {command:<10} {about}" for command, about in ABOUT.items())
    return (
        f"usage: {program} {{{','.join(ABOUT)}}} [--OPTION ...]\n\n{commands}\n\n"
        "`COMMAND --help` lists the options and their defaults."
    )


def command_help(program: str, command: str, options: Iterable[Option]) -> str:
    """Return the options of a command with types, defaults and descriptions, by section."""
    about = ABOUT[command]
    parts = [
        f"usage: {program} {command} [--OPTION VALUE ...]\n\n{about[0].upper()}{about[1:]}.",
        _paragraph(
            "Lists are words with commas or spaces between them, mappings are name=value pairs or "
            "JSON, and none stands for no value. A list or mapping that is given twice adds up; of "
            "other options the last value counts.",
            indent="",
        ),
    ]
    for section, members in itertools.groupby(options, key=lambda option: option.section):
        parts.append("\n".join([f"{section}:", *(_entry(option) for option in members)]))
    return "\n\n".join(parts)


def _entry(option: Option) -> str:
    kind = f"{option.type}; " if option.type else ""
    short = [f" or --{name}" for name, full in SHORT_OPTIONS.items() if full == option.name]
    head = f"  --{option.name}{''.join(short)}  {kind}default: {option.default}"
    description = option.description.rstrip(".") + "." if option.description else ""
    return f"{head}\n{_paragraph(description, indent='      ')}"


def _paragraph(text: str, *, indent: str) -> str:
    width = min(MAX_WIDTH, shutil.get_terminal_size((MAX_WIDTH, 0)).columns)
    text = text.replace("`", "") if indent else text
    return textwrap.fill(
        text,
        max(40, width),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
    )
