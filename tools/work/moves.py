"""Work of puzzles that are solved by moves: the moves of a short solution."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby

from rgenv.tasks.entry import Entry

Cell = tuple[int, int]

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def boxnet(entry: Entry) -> float:
    """Count moves: each box goes to the nearest target of its colour, and then into it."""
    boxes: list[tuple[str, float, float]] = []
    targets: dict[str, list[tuple[float, float]]] = {}
    for place, things in entry["metadata"]["initial_state"].items():
        row, column = map(float, place.split("_"))
        for kind, colour in (thing.split("_") for thing in things):
            if kind == "box":
                boxes.append((colour, row, column))
            else:
                targets.setdefault(colour, []).append((row, column))
    return sum(
        1 + min(abs(row - r) + abs(column - c) for r, c in targets[colour])
        for colour, row, column in boxes
    )


SOURCES = {
    "front": {"top": "front", "front": "bottom", "bottom": "back", "back": "top"},
    "right": {"top": "right", "right": "bottom", "bottom": "left", "left": "top"},
    "back": {"top": "back", "back": "bottom", "bottom": "front", "front": "top"},
    "left": {"top": "left", "left": "bottom", "bottom": "right", "right": "top"},
    "bottom": {"top": "bottom", "bottom": "top", "front": "back", "back": "front"},
}
"""The side that comes to the top -> side after the rotation -> the side it was before. A side that
is not listed stays where it is."""


def color_cube_rotation(entry: Entry) -> float:
    """Count the rotations that move the face that is asked for."""
    side, moves = entry["metadata"]["target_side"], 0
    for rotation in reversed(entry["metadata"]["rotations"]):
        before = SOURCES[rotation].get(side, side)
        moves += before != side
        side = before
    return float(moves)


def knight_swap(entry: Entry) -> float:
    """Count the moves after which a breadth-first search knows the answer.

    That is the length of a shortest solution, or of the longest shortest line of play where there
    is none.
    """
    metadata = entry["metadata"]
    board = metadata["board"]
    white = frozenset(pos for pos, piece in metadata["pieces"].items() if piece == "w")
    black = frozenset(pos for pos, piece in metadata["pieces"].items() if piece == "B")
    start = (white, black, metadata["start_turn"])
    seen, layer, depth = {start}, [start], 0
    while layer:
        following = []
        for whites, blacks, turn in layer:
            if (whites, blacks) == (black, white):
                return float(depth)
            movers = whites if turn == "w" else blacks
            for old in movers:
                for new in set(board[old]) - whites - blacks:
                    moved = (movers - {old}) | {new}
                    state = (moved, blacks, "B") if turn == "w" else (whites, moved, "w")
                    if state not in seen:
                        seen.add(state)
                        following.append(state)
        layer, depth = following, depth + bool(following)
    return float(depth)


def mahjong_puzzle(entry: Entry) -> float:
    """Count the rounds after which the hand is another one."""
    return float(sum(turn["add"] != turn["remove"] for turn in entry["metadata"]["rounds"]))


def maze(entry: Entry) -> float:
    """Return the length of the shortest path."""
    return float(entry["answer"])


def rubiks_cube(entry: Entry) -> float:
    """Count the quarter turns of the scramble that no neighbour undoes, at most 20.

    Twenty half or quarter turns solve any cube of size 3.
    """
    turns: list[tuple[str, int]] = []
    for move in entry["metadata"]["scramble_moves"].split():
        face, amount = move[0], 3 if "'" in move else 1
        if turns and turns[-1][0] == face:
            amount = (turns.pop()[1] + amount) % 4
        if amount:
            turns.append((face, amount))
    return float(min(len(turns), 20))


def rush_hour(entry: Entry) -> float:
    """Return the fewest moves, as the library's collection of boards gives them."""
    return float(entry["metadata"]["min_moves"])


def shortest_path(entry: Entry) -> float:
    """Return the length of the shortest path; without one, the steps to the farthest cell."""
    matrix = entry["metadata"]["matrix"]
    cells = {(r, c): cell for r, row in enumerate(matrix) for c, cell in enumerate(row)}
    open_cells = {cell for cell, kind in cells.items() if kind in "O#"}
    start = next(cell for cell, kind in cells.items() if kind == "*")
    goal = next(cell for cell, kind in cells.items() if kind == "#")
    distances = flood([start], open_cells)
    return float(distances.get(goal, max(distances.values())))


def flood(starts: Iterable[Cell], cells: set[Cell]) -> dict[Cell, int]:
    """Return the distance of each of `cells` that can be reached from `starts`."""
    distances = dict.fromkeys(starts, 0)
    queue = deque(distances)
    while queue:
        r, c = queue.popleft()
        for dr, dc in STEPS:
            cell = r + dr, c + dc
            if cell in cells and cell not in distances:
                distances[cell] = distances[r, c] + 1
                queue.append(cell)
    return distances


def sokoban(entry: Entry) -> float:
    """Count the moves of the library's solution, and the turns among them once more.

    A turn starts another push or walks round a box; a long straight push is easy.
    """
    solution = entry["answer"]
    return float(len(solution) + len(list(groupby(solution))))


def tower_of_hanoi(entry: Entry) -> float:
    """Return the fewest moves."""
    return float(entry["metadata"]["solution_length"])


def word_ladder(entry: Entry) -> float:
    """Count the words between the first and the last one."""
    return float(len(re.findall(r"\w+", entry["answer"])) - 2)


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "boxnet": boxnet,
    "color_cube_rotation": color_cube_rotation,
    "knight_swap": knight_swap,
    "mahjong_puzzle": mahjong_puzzle,
    "maze": maze,
    "rubiks_cube": rubiks_cube,
    "rush_hour": rush_hour,
    "shortest_path": shortest_path,
    "sokoban": sokoban,
    "tower_of_hanoi": tower_of_hanoi,
    "word_ladder": word_ladder,
}
