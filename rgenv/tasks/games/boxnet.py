"""Have robots carry coloured boxes to their targets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from rgenv.tasks.answers.json_values import parse
from rgenv.tasks.answers.moves import JsonMoves
from rgenv.tasks.boards import Metadata
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Levels, LibraryVerifier, Task
from rgenv.tasks.symmetries import sorted_amounts
from rgenv.tasks.verifying import credit_above_half, library_score, parse_json

_AGENT = re.compile(r"(?:agent)?\s*\[([\d.]{1,9}),\s*([\d.]{1,9})\]", re.IGNORECASE | re.ASCII)
_MOVE = re.compile(r"move\(\s*(\w{1,30}),\s*(\w{1,30}|square\[([\d.]{1,9}),\s*([\d.]{1,9})\])\s*\)")


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


_AGENT_of_verifier = re.compile(r"Agent\s?\[(\d{1,3}\.\d), ?(\d{1,3}\.\d)\]", re.ASCII)
_ACTION = re.compile(
    r"move\((?P<box>box_\w{1,30}),\s"
    r"(?:(?P<target>target_\w{1,30})|square ?\[(?P<x>\d{1,3}\.\d), ?(?P<y>\d{1,3}\.\d)\])\)",
    re.ASCII,
)


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the displaced boxes are brought to their targets.

    The library gives 0.05 to ``[]``, and credit for each box that starts on its target. It skips
    moves of boxes that are not there, so one plan that sweeps all colours over the whole field
    solves most problems; here a plan with an impossible action scores 0.0.
    """
    if not _is_possible_plan(answer, entry["metadata"]["initial_state"]):
        return 0.0
    squares = entry["metadata"]["initial_state"].values()
    boxes = [item for square in squares for item in square if item.startswith("box_")]
    placed = sum(_boxes_on_target(square) for square in squares)
    score = library_score(library, answer)
    if score >= 1.0 or placed == len(boxes):
        return float(score >= 1.0)
    return credit_above_half((score * len(boxes) - placed) / (len(boxes) - placed))


def _is_possible_plan(answer: str, state: Mapping[str, list[str]]) -> bool:
    """Return whether each action moves a box from its square to a target there or a square beside.

    Args:
        state: what is in each square, by ``x_y``.
    """
    plan = parse_json(answer)
    if not isinstance(plan, list) or not all(isinstance(step, dict) for step in plan):
        return False
    squares = {name: list(things) for name, things in state.items()}
    return all(
        _carry_out(agent, str(action), squares) for step in plan for agent, action in step.items()
    )


def _carry_out(agent: str, action: str, squares: dict[str, list[str]]) -> bool:
    """Carry out one action on `squares`; return whether it was possible."""
    place, wanted = _AGENT_of_verifier.fullmatch(agent.strip()), _ACTION.fullmatch(action.strip())
    if not place or not wanted:
        return False
    x, y = float(place[1]), float(place[2])
    box, target = wanted["box"], wanted["target"]
    things = squares.get(f"{x}_{y}", [])
    if box not in things:
        return False
    things.remove(box)
    if target:
        possible = target in things and target[7:] == box[4:]
        if possible:
            things.remove(target)
        return possible
    to_x, to_y = float(wanted["x"]), float(wanted["y"])
    there = squares.get(f"{to_x}_{to_y}")
    if there is None or abs(to_x - x) + abs(to_y - y) != 1:
        return False
    there.append(box)
    return True


def _boxes_on_target(square: list[str]) -> int:
    """Return how many boxes share their square with a target of their colour."""
    colours = {item[4:] for item in square if item.startswith("box_")}
    return sum(
        min(square.count(f"box_{colour}"), square.count(f"target_{colour}")) for colour in colours
    )


Square = tuple[float, float]


def solve(metadata: Metadata) -> str | None:
    """Move one box at a time to the nearest free target of its colour."""
    squares = {
        tuple(float(n) for n in name.split("_")): list(things)
        for name, things in metadata["initial_state"].items()
    }
    plan: list[dict[str, str]] = []
    for start, things in squares.items():
        for box in [thing for thing in things if thing.startswith("box_")]:
            target = box.replace("box", "target")
            goals = [square for square, found in squares.items() if target in found]
            goal = min(goals, key=lambda s: abs(s[0] - start[0]) + abs(s[1] - start[1]))
            squares[goal].remove(target)
            path = list(_path((start[0], start[1]), (goal[0], goal[1])))
            for here, there in pairwise(path):
                plan.append({_agent(here): f"move({box}, square{list(there)})"})
            plan.append({_agent(path[-1]): f"move({box}, {target})"})
    return json.dumps(plan)


def _agent(square: Square) -> str:
    return f"Agent{list(square)}"


def _path(start: Square, goal: Square) -> Iterator[Square]:
    """Yield the squares from `start` to `goal`, first along one axis, then along the other."""
    x, y = start
    yield x, y
    while x != goal[0]:
        x += 1 if goal[0] > x else -1
        yield x, y
    while y != goal[1]:
        y += 1 if goal[1] > y else -1
        yield x, y


_LONG_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.){500}', re.DOTALL)


def _boxnet_action(answer: str) -> str | None:
    """boxnet matches an action with a pattern whose time grows with the square of its length."""
    return "an action of over 500 characters" if _LONG_JSON_STRING.search(answer) else None


def family(entry: Entry) -> object:
    """Keep boxes and targets of each square, boxes of each colour; ignore places of the squares,
    rotations, mirrors, other colours.
    """
    seen = re.findall(r"I can observe \[(.*?)\], I can do", entry["question"])
    squares = sorted([square.count("'box_"), square.count("'target_")] for square in seen)
    return squares, sorted_amounts(re.findall(r"'box_(\w+)'", " ".join(seen)))


TASK = Task(
    answer=Plan(),
    verify=verify,
    solve=solve,
    limits=(_boxnet_action,),
    several_answers=True,
    family=family,
    # The last values keep the list of squares short. A grid of one cell has no moves, so
    # columns start at 2.
    levels=Levels(
        knots={
            "min_row_num": [2, 2, 3, 3, 4],
            "max_row_num": [3, 3, 4, 4, 5],
            "min_column_num": [2, 3, 3, 4, 4],
            "max_column_num": [3, 4, 4, 5, 5],
            "min_box_num": [1, 2, 3, 4, 6],
            "max_box_num": [2, 3, 4, 6, 7],
        }
    ),
)
