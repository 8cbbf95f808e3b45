"""Parse large JSON in a thread, a part at a time, so that the event loop goes on meanwhile.

::

    answer = await parsed(body)

`json.loads` holds the interpreter until it is done, in a thread as well: 0.2 s for an answer of
65,000 tokens.
"""

import asyncio
import itertools
import json
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

SMALL = 64 * 1024
"""Bytes that are parsed at once."""

DEPTH = 2
"""Levels of nesting that are taken apart; what is below is parsed at once. In the answer of an
inference server, completions are on the second level."""

MOST_PARTS = 10_000
"""Values on these levels, all together. Taking apart is slow, and nobody who means well sends more.
"""

MOST_VALUES = 4_000_000
"""Values of a body; an honest answer has about 15 for each token. What is counted is commas and
brackets, also in texts, because that takes no time. So many lists or texts on a deeper level, or
an object with a million names, hold the interpreter for up to a second; numbers do not."""

MOST_NAMES = 1_200_000
"""Names of a body, counted as colons: an object with other names for each value takes three times
as long as a list."""

PAUSE = 0.003
"""Seconds without work in the thread after each part of a large value. The event loop gives up the
interpreter at each system call, and would wait for a whole part each time to get it back."""

_THREAD = ThreadPoolExecutor(1, thread_name_prefix="large-json")


def _int(digits: str) -> int:
    return int(digits)


def _float(digits: str) -> float:
    return float(digits)


_DECODER = json.JSONDecoder(parse_int=_int, parse_float=_float)
"""Calls a Python function for each number, so that the event loop can take the interpreter there;
the parser in C would keep it until the end, for a second if a body is all floats."""

_SPACE = re.compile(r"[ \t\n\r]*")


class TooManyValues(ValueError):
    """A body that may be JSON, and is not parsed because that would take too long."""


async def parsed(body: bytes) -> Any:
    """Return what `json.loads` returns.

    Raises:
        ValueError: this is no JSON, nested too deeply, or has too many values.
    """
    if sum(map(body.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise TooManyValues("too many values")
    if body.count(b":") > MOST_NAMES:
        raise TooManyValues("too many names")
    try:
        return json.loads(body) if len(body) <= SMALL else await in_turn(in_parts, body)
    except RecursionError:
        raise ValueError("nested too deeply") from None


async def in_turn(work: Callable[[Any], T], value: Any) -> T:
    """Return `work(value)`, done in a thread that does one such piece of work after the other.

    With several of these threads, the event loop would wait for a turn of each of them.
    """
    return await asyncio.get_running_loop().run_in_executor(_THREAD, work, value)


def give_way(size: int) -> None:
    """Let the event loop work; for a thread that has just done a part of `size` bytes."""
    if size > SMALL:
        time.sleep(PAUSE)


def in_parts(body: bytes) -> Any:
    """Parse without holding the interpreter for longer than one part takes."""
    text = body.decode()
    value, end = _value(text, _skip(text, 0), DEPTH, itertools.count(1))
    if _skip(text, end) != len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    return value


def _value(text: str, at: int, depth: int, parts: Iterator[int]) -> tuple[Any, int]:
    """Return the value that begins at `at`, and the position after it; `parts` numbers them."""
    opening = text[at : at + 1]
    if depth == 0 or opening not in ("[", "{"):
        value, end = _DECODER.raw_decode(text, at)
        give_way(end - at)
        return value, end
    closing = "]" if opening == "[" else "}"
    values: list[Any] = []
    keys: list[str] = []
    at = _skip(text, at + 1)
    more = text[at : at + 1] != closing
    while more:
        if opening == "{":
            key, at = _DECODER.raw_decode(text, at)
            if not isinstance(key, str):
                raise json.JSONDecodeError("Expecting a name", text, at)
            keys.append(key)
            at = _expect(text, at, ":")
        value, at = _value(text, at, depth - 1, parts)
        values.append(value)
        at = _skip(text, at)
        more = text[at : at + 1] != closing
        if more:
            at = _expect(text, at, ",")
        if next(parts) > MOST_PARTS:
            raise ValueError("too many values")
    return (values if opening == "[" else dict(zip(keys, values, strict=True))), at + 1


def _expect(text: str, at: int, sign: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] != sign:
        raise json.JSONDecodeError(f"Expecting {sign!r}", text, at)
    return _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match is not None else at
