"""Have robots carry coloured boxes to their targets."""

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from rgenv.tasks import Answer, Entry, LibraryVerifier, Task, moving
from rgenv.tasks.answers.json_values import parse
from rgenv.tasks.symmetries import sorted_amounts
from rgenv.tasks.verifying import credit_above, library_score

_PLACE = r"\[(\d{1,3}\.\d),\s*(\d{1,3}\.\d)\]"
_AGENT = re.compile(rf"(?:agent)?\s*{_PLACE}", re.IGNORECASE | re.ASCII)
_MOVE = re.compile(
    rf"move\(\s*(box_\w{{1,30}}),\s*(?:(target_\w{{1,30}})|square{_PLACE})\s*\)", re.ASCII
)
Action = tuple[Any, ...]
"""Place of an agent, a box, and its target, or None and the place that it is moved to."""


def _steps(text: str) -> list[list[Action]] | None:
    """Return the actions of each step of a plan in JSON, or None if it is anything else."""
    try:
        return [_actions(step) for step in parse(text)]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def _actions(step: dict[str, str]) -> list[Action]:
    agents = [_AGENT.fullmatch(agent.strip()) for agent in step]
    moves = [_MOVE.fullmatch(move.strip()) for move in step.values()]
    pairs = zip(agents, moves, strict=True)
    actions = [(*agent.groups(), *move.groups()) for agent, move in pairs if agent and move]
    if len({action[:2] for action in actions}) < len(step):
        raise ValueError("not an action, or an agent comes twice")
    return actions


def _written(action: Action) -> tuple[str, str]:
    x, y, box, target, to_x, to_y = action
    return f"Agent[{x}, {y}]", f"move({box}, {target or f'square[{to_x}, {to_y}]'})"


class Plan(Answer):
    """JSON with any quotes and spaces: steps, each with an action of some agents.

    The library skips what it can't read.
    """

    name = "moves"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        steps = _steps(text)
        return None if steps is None else json.dumps([dict(map(_written, s)) for s in steps])


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the displaced boxes are brought to their targets.

    The library gives 0.05 to ``[]``, and credit for each box that starts on its target. It skips
    moves of boxes that are not there, so one plan that sweeps all colours over the whole field
    solves most problems; here a plan with an impossible action scores 0.0.
    """
    state = entry["metadata"]["initial_state"]
    steps = _steps(answer)
    squares = {name: list(things) for name, things in state.items()}
    if steps is None or not all(_carry_out(action, squares) for step in steps for action in step):
        return 0.0
    boxes = [thing for things in state.values() for thing in things if thing.startswith("box_")]
    placed = sum(
        min(things.count(box), things.count(box.replace("box", "target")))
        for things in state.values()
        for box in {thing for thing in things if thing.startswith("box_")}
    )
    score = library_score(library, answer)
    if score >= 1.0 or placed == len(boxes):
        return float(score >= 1.0)
    return credit_above((score * len(boxes) - placed) / (len(boxes) - placed))


def _carry_out(action: Action, squares: dict[str, list[str]]) -> bool:
    """Carry out one action on `squares`; return whether it was possible."""
    x, y, box, target, *there = action
    things = squares.get(f"{float(x)}_{float(y)}", [])
    if box not in things:
        return False
    things.remove(box)
    if target:
        possible = target in things and target == box.replace("box", "target")
        if possible:
            things.remove(target)
        return possible
    to_x, to_y = map(float, there)
    goal = squares.get(f"{to_x}_{to_y}")
    if goal is None or abs(to_x - float(x)) + abs(to_y - float(y)) != 1:
        return False
    goal.append(box)
    return True


def solve(metadata: Mapping[str, Any]) -> str | None:
    """Move one box at a time to the nearest free target of its colour."""
    squares = {
        tuple(map(float, name.split("_"))): list(things)
        for name, things in metadata["initial_state"].items()
    }
    plan: list[dict[str, str]] = []
    for (x, y), things in squares.items():
        for box in [thing for thing in things if thing.startswith("box_")]:
            target = box.replace("box", "target")
            goals = [square for square, found in squares.items() if target in found]
            goal = min(goals, key=lambda square: abs(square[0] - x) + abs(square[1] - y))
            squares[goal].remove(target)
            path = [(to_x, y) for to_x in _between(x, goal[0])]
            path += [(goal[0], to_y) for to_y in _between(y, goal[1])[1:]]
            actions = [(*here, box, "", *there) for here, there in pairwise(path)]
            plan += [dict([_written(each)]) for each in [*actions, (*goal, box, target, "", "")]]
    return json.dumps(plan)


def _between(start: float, end: float) -> list[float]:
    direction = 1 if end > start else -1
    return [start + direction * step for step in range(int(abs(end - start)) + 1)]


_LONG_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.){500}', re.DOTALL)


def _long_action(answer: str) -> str | None:
    """The library matches an action in a time that grows with the square of its length."""
    return "an action of over 500 characters" if _LONG_JSON_STRING.search(answer) else None


def family(entry: Entry) -> object:
    """Keep boxes and targets of each square, boxes of each colour; ignore where squares are."""
    seen = re.findall(r"I can observe \[(.*?)\], I can do", entry["question"])
    squares = sorted([square.count("'box_"), square.count("'target_")] for square in seen)
    return squares, sorted_amounts(re.findall(r"'box_(\w+)'", " ".join(seen)))


TASK = Task(
    answer=Plan(),
    also_right="any plan that brings each box to a target of its colour",
    verify=verify,
    solve=solve,
    limits=(_long_action,),
    family=family,
    # The last values keep the list of squares short. A grid of one cell has no moves, so
    # columns start at 2.
    levels=moving(
        row_num=[(2, 3), (2, 3), (3, 4), (3, 4), (4, 5)],
        column_num=[(2, 3), (3, 4), (3, 4), (4, 5), (4, 5)],
        box_num=[(1, 2), (2, 3), (3, 4), (4, 6), (6, 7)],
    ),
)
