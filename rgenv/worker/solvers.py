"""Find a right answer to a problem, even if reasoning-gym keeps none.

    right_answer("rush_hour", entry)    # "C-1 B+2 A+3", or None if the search takes too long

Most entries hold their answer. For some tasks the library only checks answers: then an example in
the entry's metadata is used, or a small solver in this module, whose answer need not be the
shortest. Only `validate` and the tests use this module. No prompt and no score depends on it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from rgenv.worker.coverage import covered

Metadata = Mapping[str, Any]
Square = tuple[float, float]
Positions = tuple[int, ...]
"""The first cell of every car of a rush hour board."""

MAX_BOARDS = 300_000
"""The positions that a rush hour search may visit. The library's own boards need 30,000."""

SIDE = 6
EXIT = 2 * SIDE + 4
"""The cell that the left half of the red car has to reach."""


def right_answer(task: str, entry: Mapping[str, Any]) -> str | None:
    """Return a right answer to `entry`, or None if none is known."""
    if isinstance(entry["answer"], str):
        return entry["answer"]
    solve = SOLVERS.get(task) if covered(task) else None
    return None if solve is None else solve(entry["metadata"])


def boxnet_plan(metadata: Metadata) -> str | None:
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


def rush_hour_moves(metadata: Metadata) -> str | None:
    """Return the fewest moves that bring the red car to the exit."""
    board: str = metadata["board_config"]
    labels = sorted(set(board) - {"o", "x"})
    cells = [[i for i, label in enumerate(board) if label == name] for name in labels]
    strides = [places[1] - places[0] for places in cells]
    walls = sum(1 << i for i, label in enumerate(board) if label == "x")
    start = tuple(places[0] for places in cells)
    cars = [(len(places), stride) for places, stride in zip(cells, strides, strict=True)]
    came_from: dict[Positions, tuple[Positions, str] | None] = {start: None}
    queue = deque([start])
    while queue and len(came_from) < MAX_BOARDS:
        state = queue.popleft()
        if state[0] == EXIT:
            return _moves_to(state, came_from)
        for car, place in _slides(state, cars, walls):
            reached = (*state[:car], place, *state[car + 1 :])
            if reached not in came_from:
                steps = (place - state[car]) // cars[car][1]
                came_from[reached] = state, f"{chr(ord('A') + car)}{steps:+d}"
                queue.append(reached)
    return None


def _slides(state: Positions, cars: list[tuple[int, int]], walls: int) -> Iterator[tuple[int, int]]:
    """Yield every car (by index) with every cell that it can slide to.

    Args:
        cars: length and stride of each car; a stride of 1 is horizontal.
        walls: a bit for each cell that is a wall.
    """
    taken = walls
    for place, (size, stride) in zip(state, cars, strict=True):
        for step in range(size):
            taken |= 1 << place + step * stride
    for car, (size, stride) in enumerate(cars):
        first = state[car]
        offset = first % SIDE if stride == 1 else first // SIDE
        for ahead in range(1, SIDE - offset - size + 1):
            if taken >> first + (size - 1 + ahead) * stride & 1:
                break
            yield car, first + ahead * stride
        for back in range(1, offset + 1):
            if taken >> first - back * stride & 1:
                break
            yield car, first - back * stride


def _moves_to(state: Positions, came_from: Mapping[Positions, tuple[Positions, str] | None]) -> str:
    moves: list[str] = []
    while (step := came_from[state]) is not None:
        state, move = step
        moves.append(move)
    return " ".join(reversed(moves))


def cube_turns(metadata: Metadata) -> str:
    """Return the library's solution if there is one; otherwise undo the scramble.

    The library solves only cubes of size 3.
    """
    turns = str(metadata["example_correct_answer"])
    if turns:
        return turns
    scramble = str(metadata["scramble_moves"]).split()
    return " ".join(
        turn.removesuffix("'") if turn.endswith("'") else f"{turn}'" for turn in reversed(scramble)
    )


SOLVERS: Mapping[str, Callable[[Metadata], str | None]] = {
    "boxnet": boxnet_plan,
    "graph_color": lambda metadata: json.dumps(metadata["possible_answer"]),
    "propositional_logic": lambda metadata: str(metadata["example_answer"]),
    "rubiks_cube": cube_turns,
    "rush_hour": rush_hour_moves,
}
"""Task -> its solver, which gets the entry's metadata."""
