"""Normalize the words of a command line, so that Atropos reads them correctly.

Atropos mistakes ``-1`` for a flag and ``none`` for a string, keeps only the first word of a list,
and ignores misspelt names. Here every option becomes one word, and mistakes are errors::

    >>> fields = {"env.seed": Flag(), "env.task_names": Flag(takes_many=True)}
    >>> canonical(["--env.seed", "-1", "--env.task_names", "gcd", "lcm"], fields)
    ['--env.seed=-1', '--env.task_names=gcd,lcm']

Not here: the types of values (config.py).
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rgenv.errors import BadUsage

_NONE_WORDS = {"none", "null"}


@dataclass(frozen=True)
class Flag:
    """Describes an option.

    Attributes:
        may_be_none: whether ``none`` or ``null`` stand for None.
        takes_many: whether several words may follow.
    """

    may_be_none: bool = False
    takes_many: bool = False


def canonical(words: Sequence[str], flags: Mapping[str, Flag]) -> list[str]:
    """Return each option as one word ``--name=value``.

    Args:
        flags: the known options, by name.

    Raises:
        BadUsage: an unknown option, an option without a value, or a word that belongs to none.
    """
    out: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            raise BadUsage(f"{word!r} belongs to no option; options are written --name value.")
        name, equals, value = word[2:].partition("=")
        flag = _find_flag(name, flags)
        values = [value] if equals else _pop_values(rest, flag)
        if not values:
            raise BadUsage(f"--{name} needs a value: write --{name} VALUE.")
        joined = ",".join(values)
        is_none = flag.may_be_none and joined.lower() in _NONE_WORDS
        out.append(f"--{name}={'None' if is_none else joined}")
    return out


def _find_flag(name: str, flags: Mapping[str, Flag]) -> Flag:
    if name not in flags:
        near = difflib.get_close_matches(name, flags, n=1, cutoff=0.4)
        hint = f" Did you mean --{near[0]}?" if near else ""
        raise BadUsage(f"There is no option --{name}.{hint} See --help.")
    return flags[name]


def _pop_values(rest: list[str], flag: Flag) -> list[str]:
    """Remove the words of one value from the front of `rest`, and return them."""
    values: list[str] = []
    while rest and not rest[0].startswith("--") and (flag.takes_many or not values):
        values.append(rest.pop(0))
    return values
