"""Normalize the words of a command line, so that Atropos reads them correctly.

Atropos mistakes ``-1`` for a flag and ``none`` for a string, keeps only the first word of a list,
and ignores misspelt names. Here every option has one text, and mistakes are errors::

    >>> options = [Option("env.seed"), Option("env.task_names", takes_many=True)]
    >>> given(["--env.seed", "-1", "--env.task_names", "gcd", "lcm"], options)
    {'env.seed': '-1', 'env.task_names': 'gcd,lcm'}

This file imports nothing heavy, because mistakes are reported before Atropos is imported.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rgenv.errors import BadUsage
from rgenv.text import did_you_mean, nearest

_NONE_WORDS = {"none", "null"}

SHORT_OPTIONS = {
    "tasks": "env.task_names",
    "problems": "env.problems",
    "task-modules": "env.task_modules",
    "force": "env.force",
    "limit": "env.eval_limit",
    "compare": "env.eval_compare",
    "debug": "env.debug_logging",
}
"""Options that may be written without their namespace, as in ``--force``."""


OTHER_WORDS = {
    "level": "env.complexity_mode",
    "difficulty": "env.complexity_mode",
    "curriculum": "env.complexity_mode",
    "num_steps": "env.total_steps",
    "output": "env.data_path_to_save_groups",
    "suppress_base_env_logs": "env.debug_logging",
}
"""Words that other commands and users have for an option -> its name."""


@dataclass(frozen=True)
class Option:
    """Describes an option of a command.

    Attributes:
        name: with its namespace, such as ``env.seed``.
        section: the heading under which help and documents show it.
        type: what its values are, in words.
        default: its default as a user would write it.
        may_be_none: whether ``none`` or ``null`` stand for None.
        takes_many: whether several words may follow.
        adds_up: whether the values of an option that is given twice are joined.
    """

    name: str
    section: str = ""
    type: str = "string"
    default: str = "none"
    description: str = ""
    may_be_none: bool = False
    takes_many: bool = False
    adds_up: bool = False


def given(words: Sequence[str], options: Iterable[Option]) -> dict[str, str]:
    """Return option -> its value as text.

    If an option is given twice, lists and mappings are joined; of other values the last one counts.

    Raises:
        BadUsage: an unknown option, an option without a value, or a word that belongs to none.
    """
    known = {option.name: option for option in options}
    values: dict[str, str] = {}
    rest = list(words)
    while rest:
        option, value = _take_option(rest, known)
        if option.adds_up and option.name in values:
            value = _joined(option, values[option.name], value)
        values[option.name] = value
    return values


def near(name: str, known: Iterable[str]) -> list[str]:
    """Return the known name that `name` is probably meant to be, if there is one.

    The part after the namespace decides, so ``seed``, ``openai.seed`` and ``env.sed`` are all near
    ``env.seed``.
    """
    names = list(known)
    if (meant := OTHER_WORDS.get(_tail(name))) in names:
        return [meant]
    tails = {_tail(candidate): candidate for candidate in reversed(names)}
    same_space = [n for n in names if n.rpartition(".")[0] == name.rpartition(".")[0]]
    tails |= {_tail(candidate): candidate for candidate in same_space}
    return [tails[tail] for tail in nearest(_tail(name), tails)]


def _tail(name: str) -> str:
    return name.rpartition(".")[2].lower().replace("-", "_")


def _take_option(rest: list[str], known: dict[str, Option]) -> tuple[Option, str]:
    """Remove the words of one option from the front of `rest`; return the option and its value."""
    word = rest.pop(0)
    if not word.startswith("--"):
        raise BadUsage(f"{word!r} belongs to no option; options are written --name value.")
    written, equals, value = word[2:].partition("=")
    name = SHORT_OPTIONS.get(written, written)
    if name not in known:
        hint = did_you_mean([f"--{one}" for one in near(name, known)])
        raise BadUsage(f"There is no option --{written}.{hint} See --help.")
    option = known[name]
    values = [value] if equals else _pop_values(rest, option)
    if not values and written in SHORT_OPTIONS and option.type == "boolean":
        values = ["true"]
    if not values:
        example = "true" if option.type == "boolean" else "VALUE"
        raise BadUsage(f"--{written} needs a value: write --{written} {example}.")
    joined = ",".join(values)
    is_none = option.may_be_none and joined.lower() in _NONE_WORDS
    return option, "None" if is_none else joined


def _pop_values(rest: list[str], option: Option) -> list[str]:
    values: list[str] = []
    while rest and not rest[0].startswith("--") and (option.takes_many or not values):
        values.append(rest.pop(0))
    return values


def _joined(option: Option, *values: str) -> str:
    if any(value.lstrip().startswith("{") for value in values):
        raise BadUsage(f"--{option.name} is given twice: write one JSON object with all of it.")
    return ",".join(value for value in values if value)
