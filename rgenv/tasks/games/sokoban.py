"""Push boxes onto their goals."""

import functools
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

from rgenv.tasks import Answer, Entry, LibraryVerifier, Task, moving
from rgenv.tasks.answers.lists import joined_items, matching
from rgenv.tasks.symmetries import turned_grid
from rgenv.tasks.verifying import moves_score

_read_steps = matching("[LRUD]+")


class Steps(Answer):
    """Letters of any case in any form of a list, also next to each other."""

    name = "moves"

    def read(self, text: str, entry: Entry) -> str | None:
        return joined_items(text.upper(), _read_steps, "") or None


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if no box is beside its goal."""
    return entry if "@" in entry["metadata"]["gamestr"] else None


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the library's score, or 0.0 for far more steps than the reference answer has.

    The library gives 1.0 to the right steps scattered over prose, and to walking about until the
    boxes are in place. Steps behind a solution earn 1.0 if the board is solved at their end, which
    is all that the question asks: so a few solutions may be given twice.
    """
    needed = len(str(entry["answer"]).strip())
    return moves_score(answer, library, "[LRUD]*") if len(answer) <= 2 * needed + 4 else 0.0


def astar(
    matrix: Any, player_pos: Sequence[int], max_depth: int = 100, **_options: object
) -> tuple[str | None, int]:
    """Search as the library does, with the only heuristic that it uses; estimate each state once.

    Re-expands visited states, as the library does, to reproduce its exact solutions. A state is a
    string of all rows, with walls on every side. Most steps move no box, so what depends on boxes
    alone is kept.
    """
    width = matrix.shape[1]
    start = "".join(matrix.flatten().tolist())
    cost_of_boxes = functools.cache(functools.partial(_cost_of_boxes, width=width))

    @functools.cache
    def estimate(state: str, player: int) -> tuple[bool, int]:
        """Return whether a box is stuck, and the estimated cost of a solution."""
        stuck, cost, boxes = cost_of_boxes(state.replace("*", "-").replace("%", "X"))
        x, y = divmod(player, width)
        to_box = min([abs(a - x) + abs(b - y) for a, b in boxes], default=0)
        return stuck, cost + to_box

    player = int(player_pos[0]) * width + int(player_pos[1])
    heap = [(0, estimate(start, player)[1], start, player, 0, "")]
    steps = (("D", width), ("U", -width), ("L", -1), ("R", 1))
    seen, depth = set(), 0
    while heap:
        _, cost, state, player, depth, path = heappop(heap)
        seen.add(state)
        for name, step in steps:
            moved, step_cost = _move(state, player, step)
            if moved is None or moved in seen:
                continue
            stuck, remaining = estimate(moved, player + step)
            if stuck:
                continue
            priority = step_cost + cost
            heappush(heap, (priority, remaining, moved, player + step, depth + 1, path + name))
            if "@" not in moved:
                return path + name, depth + 1
        if depth > max_depth:
            break
    return None, -1 if not heap else depth + 1


def _move(state: str, player: int, step: int) -> tuple[str | None, int]:
    """Return the state after a step and the step's cost; None if the way is blocked."""
    target, beyond = player + step, player + 2 * step
    cell = state[target]
    pushes = cell in "@$"
    if cell == "+" or (pushes and state[beyond] in "+@$"):
        return None, 0
    cells = list(state)
    cells[player] = "-" if cells[player] == "*" else "X"
    cells[target] = "*" if cell in "-@" else "%"
    if not pushes:
        return "".join(cells), 3
    cells[beyond] = "@" if cells[beyond] == "-" else "$"
    return "".join(cells), 0 if cells[beyond] == "$" else 2


def _cost_of_boxes(state: str, *, width: int) -> tuple[bool, int, list[tuple[int, int]]]:
    """Return whether a box is stuck, what the boxes cost, and where they are.

    The cost is the sum of the boxes' distances to their nearest goals, and the size of the board
    for each box that is not on a goal.
    """
    places = [place for place, sign in enumerate(state) if sign == "@"]
    stuck = any(_is_stuck(state, box, width) for box in places) or _has_full_edge(state, width)
    boxes = [divmod(place, width) for place in places]
    goals = [divmod(place, width) for place, sign in enumerate(state) if sign == "X"]
    to_goals = sum(min([abs(a - c) + abs(b - d) for c, d in goals]) for a, b in boxes)
    return stuck, len(boxes) * len(state) + to_goals, boxes


def _is_stuck(state: str, box: int, width: int) -> bool:
    """Return whether `box` is in a corner, or in a square of four boxes or walls."""
    sides = [side for side in (-1, 1) if state[box + side] in "@+$"]
    ends = [end for end in (-width, width) if state[box + end] in "@+$"]
    return any(
        state[box + side] == state[box + end] == "+" or state[box + side + end] in "@+$"
        for side in sides
        for end in ends
    )


def _has_full_edge(state: str, width: int) -> bool:
    """Return whether an edge has more boxes than goals."""
    last = len(state) - width
    edges = (
        state[width + 1 : 2 * width - 1],
        state[last - width + 1 : last - 1],
        state[width + 1 : last + 1 : width],
        state[2 * width - 2 : len(state) - 2 : width],
    )
    return any(edge.count("@") > edge.count("X") for edge in edges if "@" in edge)


def signs(player: Any) -> str:
    """Return the signs of all squares, row by row."""
    return "".join([square.char for square in player.game.puzzle.ravel().tolist() if square])


TASK = Task(
    answer=Steps(),
    also_right="any steps that solve it, up to twice those of the reference answer and four more",
    correct=correct,
    verify=verify,
    clarify=(("", "Avoid needless steps."),),
    family=turned_grid,
    # On the curriculum's smallest board, the default of 10 boxes takes 10 s and 1.3 GB. To push one
    # box after another to the nearest goal solves most boards: it is a method, which suffices on
    # small boards.
    levels=moving(
        w=[(6, 6), (6, 6), (7, 7), (8, 8), (9, 9)],
        h=[(6, 6), (6, 6), (7, 7), (8, 8), (9, 9)],
        boxes=[(2, 2), (3, 3), (4, 4), (5, 5), (6, 6)],
        max_depth=[25, 35, 45, 60, 80],
    ),
    faster={
        "games.contrib.sokoban.src.astar:astar": astar,
        "games.contrib.sokoban.src.player:ReversePlayer:get_state": signs,
    },
    accepted={"wrong": "two steps on the way to a box may change places"},
)
