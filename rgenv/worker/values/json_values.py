"""Read JSON, also as Python writes it: with single quotes.

Example::

    parse("[{'a': 1}]")            # [{"a": 1}]
    parse('{"a": 1, "a": 2}')      # raises ValueError: a comes twice

Not here: JSON that holds nothing but a list (lists.py), a grid (grids.py) or a mapping of
words (mappings.py), which may be written in other ways too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from rgenv.worker.entry import Entry
from rgenv.worker.values.kind import Kind
from rgenv.worker.values.mappings import UNREADABLE

MAX_TEXT = 20_000
"""Characters of a text. Right answers have at most 3,000."""
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_AGENT = re.compile(r"(?:agent)?\s*\[([\d.]{1,9}),\s*([\d.]{1,9})\]", re.IGNORECASE | re.ASCII)
_MOVE = re.compile(r"move\(\s*(\w{1,30}),\s*(\w{1,30}|square\[([\d.]{1,9}),\s*([\d.]{1,9})\])\s*\)")


def parse(text: str) -> Any:
    """Return the value of a JSON text whose strings may stand in single quotes.

    Raises:
        ValueError: the text is not JSON or too long, a key comes twice, or a number is not finite.
    """
    if len(text) > MAX_TEXT:
        raise ValueError("too long")
    if "'" in text and "\\" not in text:
        text = _STRING.sub(lambda string: json.dumps(string[0][1:-1]), text)
    try:
        return json.loads(text, object_pairs_hook=without_duplicates, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deep") from None


def without_duplicates(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return a dict of `pairs`.

    Raises:
        ValueError: a key comes twice.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key comes twice")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number")


def _plans(text: str, entry: Entry) -> str | None:
    """Write steps, each with an action of some agents; the library skips what it can't read."""
    try:
        steps = parse(text)
        return json.dumps([dict(_actions(step)) for step in steps])
    except (ValueError, TypeError, AttributeError):
        return UNREADABLE


def _actions(step: Any) -> list[tuple[str, str]]:
    """Return agents with their actions, written alike.

    Raises:
        ValueError: something is neither an agent nor an action, or an agent comes twice.
        TypeError: an action is not a string.
        AttributeError: the step is not an object.
    """
    agents = [_AGENT.fullmatch(agent.strip()) for agent in step]
    moves = [_MOVE.fullmatch(move.strip()) for move in step.values()]
    written = []
    for agent, move in zip(agents, moves, strict=True):
        if agent is None or move is None:
            raise ValueError("not an action")
        place = f"square[{move[3]}, {move[4]}]" if move[3] else move[2]
        written.append((f"Agent[{agent[1]}, {agent[2]}]", f"move({move[1]}, {place})"))
    if len(dict(written)) < len(written):
        raise ValueError("an agent comes twice")
    return written


KINDS: Mapping[str, Kind] = {"boxnet": _plans}
