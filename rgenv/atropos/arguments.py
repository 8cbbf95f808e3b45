"""The command line as it is meant, in the one form that Atropos reads without surprises.

Atropos takes ``--env.seed -1`` for two flags, ``None`` for a string, a list for its first word and
a misspelt name for nothing at all::

    >>> fields = {"env.seed": Flag(), "env.task_names": Flag(takes_many=True)}
    >>> canonical(["--env.seed", "-1", "--env.task_names", "gcd", "lcm"], fields)
    ['--env.seed=-1', '--env.task_names=gcd,lcm']

What a value means is for the configuration classes to say.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rgenv.errors import BadUsage

_NONE_WORDS = {"none", "null"}


@dataclass(frozen=True)
class Flag:
    """What has to be known of a flag: may it be None, may several words follow."""

    may_be_none: bool = False
    takes_many: bool = False


def canonical(words: Sequence[str], flags: Mapping[str, Flag]) -> list[str]:
    """Every flag as one ``--name=value`` word.

    Raises:
        BadUsage: an unknown flag, a word that belongs to none, or a flag without a value.
    """
    out: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            raise BadUsage(f"{word!r} belongs to no flag; options are written --name value.")
        name, equals, value = word[2:].partition("=")
        flag = _known(name, flags)
        values = [value] if equals else _values(rest, flag)
        if not values:
            raise BadUsage(f"--{name} needs a value: write --{name} VALUE.")
        joined = ",".join(values)
        is_none = flag.may_be_none and joined.lower() in _NONE_WORDS
        out.append(f"--{name}={'None' if is_none else joined}")
    return out


def _known(name: str, flags: Mapping[str, Flag]) -> Flag:
    if name not in flags:
        near = difflib.get_close_matches(name, flags, n=1, cutoff=0.4)
        hint = f" Did you mean --{near[0]}?" if near else ""
        raise BadUsage(f"There is no option --{name}.{hint} See --help.")
    return flags[name]


def _values(rest: list[str], flag: Flag) -> list[str]:
    values: list[str] = []
    while rest and not rest[0].startswith("--") and (flag.takes_many or not values):
        values.append(rest.pop(0))
    return values
