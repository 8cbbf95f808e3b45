"""Types of settings whose values may be words: lists, mappings, levels, bounded numbers.

::

    split_words("gcd, lcm")             # ["gcd", "lcm"]
    parse_mapping("gcd=2,lcm=1")        # {"gcd": "2", "lcm": "1"}
    between(1, 8)(9)                    # ValueError: must be from 1 to 8, not 9

A function that reads takes any value, and returns what is not text unchanged. One that checks
returns the value, or raises ValueError with what follows the name of the setting.
"""

import contextlib
import os
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from rgenv.runtime.files import parse_json
from rgenv.task_names import parse_levels, parse_names

T = TypeVar("T")

MOST = 10**9
"""The largest number that has no smaller bound."""

MOST_DIGITS = 60
"""Of any whole number. A worker's replies have no longer ones, either."""


def between(least: float, most: float = MOST, *, special: int | None = None) -> Callable[[T], T]:
    """Return a check of a number; `special` is another value, with a meaning of its own."""

    def check(value: Any) -> Any:
        if not least <= value <= most and value != special:
            instead = "" if special is None else f", or {special}"
            raise ValueError(f"must be from {least:g} to {most:g}{instead}, not {value!s:.40}")
        return value

    return check


def none_word(value: Any) -> Any:
    """Return None for text that stands for it: none, null or nothing."""
    is_none = isinstance(value, str) and value.lower() in ("", "none", "null")
    return None if is_none else value


def split_words(value: Any) -> Any:
    """Return the list that ``gcd,lcm`` or a JSON list stands for, empty for None."""
    if (value := none_word(value)) is None:
        return []
    if isinstance(value, os.PathLike):
        value = [value]
    if isinstance(value, list | tuple):
        return [os.fspath(word) if isinstance(word, os.PathLike) else word for word in value]
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):  # otherwise a pattern, such as [a-c]*
        with contextlib.suppress(ValueError):
            return parse_json(value)
    return parse_names(value)


def parse_mapping(value: Any, read: Callable[[str], Any] = str) -> Any:
    """Return the mapping that ``name=value,...`` or a JSON object stands for, empty for None.

    `read` returns what a value of the first form stands for. ValueError: the text is neither, or
    has a name twice.
    """
    if (value := none_word(value)) is None:
        return {}
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("{"):
        try:
            return parse_json(value)
        except ValueError as error:
            raise ValueError(f"this is not valid JSON: {error}") from None
    mapping: dict[str, Any] = {}
    for pair in parse_names(value):
        name, equals, word = (part.strip() for part in pair.partition("="))
        if not (name and equals):
            raise ValueError(f"write name=value,... or JSON, not {name + equals!r}")
        if name in mapping:
            raise ValueError(f"{name!r} comes twice")
        mapping[name] = read(word)
    return mapping


def _levels(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = split_words(value)
    if isinstance(value, list | tuple):
        value = ",".join(map(str, value))
    return parse_levels(value) if isinstance(value, str) else value


def _json_or_word(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return text


OPTIONAL = BeforeValidator(lambda value: value if value == "" else none_word(value))
"""In front of a type that includes None: ``none`` and ``null`` stand for it; no text is a text."""

Words = Annotated[list[str], BeforeValidator(split_words)]
Seed = Annotated[int, Field(ge=-(10**MOST_DIGITS), le=10**MOST_DIGITS)]
Count = Annotated[int, AfterValidator(between(1))]
MaybeCount = Annotated[Count | None, OPTIONAL]
Natural = Annotated[int, AfterValidator(between(0))]
Level = Annotated[float, AfterValidator(between(0, 1))]
Seconds = Annotated[float, Field(gt=0, le=MOST)]
Levels = Annotated[list[float | None], BeforeValidator(_levels)]
Request = Annotated[
    dict[str, Any], BeforeValidator(lambda value: parse_mapping(value, _json_or_word))
]
