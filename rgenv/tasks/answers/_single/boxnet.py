"""Plans for agents that move boxes."""

from __future__ import annotations

import json
import re
from typing import Any

from rgenv.tasks.answers.json_values import parse
from rgenv.tasks.answers.moves import JsonMoves
from rgenv.tasks.entry import Entry

_AGENT = re.compile(r"(?:agent)?\s*\[([\d.]{1,9}),\s*([\d.]{1,9})\]", re.IGNORECASE | re.ASCII)
_MOVE = re.compile(r"move\(\s*(\w{1,30}),\s*(\w{1,30}|square\[([\d.]{1,9}),\s*([\d.]{1,9})\])\s*\)")


class Plan(JsonMoves):
    """JSON with any quotes and spaces: steps, each with an action of some agents.

    The library skips what it can't read.
    """

    must_be_read = True
    impossible = "q"

    def read(self, text: str, entry: Entry) -> str | None:
        try:
            return json.dumps([dict(_actions(step)) for step in parse(text)])
        except (ValueError, TypeError, AttributeError):
            return None


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
