"""An answer to an entry that is known to be right, also where reasoning-gym keeps none.

    right_answer("rush_hour", entry)    # "C-1 B+2 A+3", or None after too long a search

Most entries hold their answer. For some the library only checks: an example stands in their
metadata, or a small solver here finds an answer, which need not be the shortest. It runs in a
worker, and serves `validate` and the tests alone: nothing of it reaches a prompt or a score.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

Entry = dict[str, Any]

MAX_BOARDS = 300_000
"""A search past so many positions of a rush hour gives up; the library's own take 30,000."""

SIDE = 6
EXIT = 2 * SIDE + 4
"""Where the red car's left half has to come."""


def right_answer(task: str, entry: Entry) -> str | None:
    """A right answer to `entry`, None where none is known."""
    if isinstance(entry["answer"], str):
        return entry["answer"]
    solve = SOLVERS.get(task)
    return None if solve is None else solve(entry["metadata"])


def boxnet_plan(metadata: Entry) -> str | None:
    """One box at a time, step by step to the nearest target of its colour that is left."""
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
            way = list(_walk((start[0], start[1]), (goal[0], goal[1])))
            for here, there in pairwise(way):
                plan.append({_agent(here): f"move({box}, square{list(there)})"})
            plan.append({_agent(way[-1]): f"move({box}, {target})"})
    return json.dumps(plan)


def _agent(square: tuple[float, float]) -> str:
    return f"Agent{list(square)}"


def _walk(start: tuple[float, float], goal: tuple[float, float]) -> Iterator[tuple[float, float]]:
    """The squares from `start` to `goal`, both with it: first along one axis, then the other."""
    x, y = start
    yield x, y
    while x != goal[0]:
        x += 1 if goal[0] > x else -1
        yield x, y
    while y != goal[1]:
        y += 1 if goal[1] > y else -1
        yield x, y


def rush_hour_moves(metadata: Entry) -> str | None:
    """The fewest moves that bring the red car to the exit."""
    board: str = metadata["board_config"]
    labels = sorted(set(board) - {"o", "x"})
    cells = [[i for i, label in enumerate(board) if label == name] for name in labels]
    strides = [places[1] - places[0] for places in cells]
    walls = sum(1 << i for i, label in enumerate(board) if label == "x")
    start = tuple(places[0] for places in cells)
    cars = [(len(places), stride) for places, stride in zip(cells, strides, strict=True)]
    came_from: dict[tuple[int, ...], tuple[tuple[int, ...], str] | None] = {start: None}
    queue = deque([start])
    while queue and len(came_from) < MAX_BOARDS:
        state = queue.popleft()
        if state[0] == EXIT:
            return _moves_to(state, came_from)
        for car, place in _reachable(state, cars, walls):
            reached = (*state[:car], place, *state[car + 1 :])
            if reached not in came_from:
                steps = (place - state[car]) // cars[car][1]
                came_from[reached] = state, f"{chr(ord('A') + car)}{steps:+d}"
                queue.append(reached)
    return None


def _reachable(
    state: tuple[int, ...], cars: list[tuple[int, int]], walls: int
) -> Iterator[tuple[int, int]]:
    """Each car with each place that it can slide to."""
    taken = walls
    for place, (size, stride) in zip(state, cars, strict=True):
        for step in range(size):
            taken |= 1 << place + step * stride
    for car, (size, stride) in enumerate(cars):
        first = state[car]
        line = first % SIDE if stride == 1 else first // SIDE
        for ahead in range(1, SIDE - line - size + 1):
            if taken >> first + (size - 1 + ahead) * stride & 1:
                break
            yield car, first + ahead * stride
        for back in range(1, line + 1):
            if taken >> first - back * stride & 1:
                break
            yield car, first - back * stride


def _moves_to(
    state: tuple[int, ...],
    came_from: Mapping[tuple[int, ...], tuple[tuple[int, ...], str] | None],
) -> str:
    moves: list[str] = []
    while (step := came_from[state]) is not None:
        state, move = step
        moves.append(move)
    return " ".join(reversed(moves))


def cube_turns(metadata: Entry) -> str:
    """The library's solution of a cube of three; of any other, the scramble back to front."""
    turns = str(metadata["example_correct_answer"])
    if turns:
        return turns
    scramble = str(metadata["scramble_moves"]).split()
    return " ".join(
        turn.removesuffix("'") if turn.endswith("'") else f"{turn}'" for turn in reversed(scramble)
    )


SOLVERS: Mapping[str, Callable[[Entry], str | None]] = {
    "boxnet": boxnet_plan,
    "graph_color": lambda metadata: json.dumps(metadata["possible_answer"]),
    "propositional_logic": lambda metadata: str(metadata["example_answer"]),
    "rubiks_cube": cube_turns,
    "rush_hour": rush_hour_moves,
}
"""Task -> its solver; it gets the entry's metadata."""
