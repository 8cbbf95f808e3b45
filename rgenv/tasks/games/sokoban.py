"""Push boxes onto their goals."""

import functools
import re
from collections.abc import Sequence
from heapq import heappop, heappush
from random import Random
from typing import Any

import numpy

from rgenv.tasks import Entry, Forms, LibraryVerifier, Task, changed, moving, random_of
from rgenv.tasks.answers.lists import joined_items, matching
from rgenv.tasks.answers.moves import Moves
from rgenv.tasks.boards import MAX_BOARDS, reached
from rgenv.tasks.symmetries import turned_grid
from rgenv.tasks.verifying import moves_score

_read_steps = matching("[LRUD]+")


class Steps(Moves):
    """Letters of any case in any form of a list, also next to each other."""

    separator = ""
    extendable = True

    def read(self, text: str, entry: Entry) -> str | None:
        return joined_items(text.upper(), _read_steps, "") or None

    def forms(self, reference: str, question: str) -> Forms:
        return {"spaces": " ".join(reference), "commas": ", ".join(reference)}


MAX_BOXES = 4
"""Boxes of a board. With more, finding a board takes longer than the library does."""


def correct(entry: Entry) -> Entry | None:
    """Draw a board on which some box has to be pushed, left, and pushed again later.

    So no program solves it that pushes one box after another to a goal, in whatever order. Where no
    such board is found, the library's stays; None if no box of it is beside its goal.
    """
    rng, metadata = random_of(entry), entry["metadata"]
    board, width, height = metadata["gamestr"], metadata["width"], metadata["height"]
    inside, boxes = _room(board, width, height)
    for _ in range(MAX_BOARDS if boxes > 1 else 0):
        floor = _floor(rng, width, height, min(11 + 3 * boxes // 2, inside))
        goals = sum(1 << place for place in rng.sample(_places(floor), boxes))
        starts, pulls = _pulled(floor, goals, width, turns=boxes + 1)
        if starts:
            break
    else:
        rows = [row.split() for row in board.split("\n")[:height]]
        answer = entry["answer"] or _solved(numpy.array(rows))[0]
        return changed(entry, entry["question"], answer) if answer and "@" in board else None
    taken, reached = start = rng.choice(starts)
    player = rng.choice(_places(reached))
    cells = "".join(
        _SIGNS[taken >> n & 1, goals >> n & 1, int(n == player)] if floor >> n & 1 else "+"
        for n in range(width * height)
    )
    rows = [" ".join(cells[n : n + width]) for n in range(0, len(cells), width)]
    drawn = "".join(f"{row}  \n" for row in rows) + "\n"
    head, old, tail = entry["question"].partition(board)
    solution = _pushes(pulls, start, player, width)
    return changed(entry, f"{head}{drawn}{tail}", solution, gamestr=drawn) if old else None


def _room(board: str, width: int, height: int) -> tuple[int, int]:
    """Return how many squares inside may be floor, and how many boxes there may be."""
    inside = (width - 2) * (height - 2) * 4 // 5
    return inside, min(board.count("@") + board.count("$"), MAX_BOXES, inside // 4)


def _solved(matrix: Any, max_depth: int = 100) -> tuple[str | None, int]:
    """Return the steps that solve a board, None if none are found, and their number."""
    [player] = numpy.argwhere(numpy.isin(matrix, ("*", "%"))).tolist()
    return astar(matrix, player, max_depth=max_depth)


def solved_if_kept(matrix: Any, max_depth: int) -> tuple[str | None, int]:
    """Leave a board unsolved in whose place `correct` draws another one."""
    height, width = matrix.shape
    kept = _room("".join(matrix.flat), width, height)[1] < 2
    return _solved(matrix, max_depth=max_depth) if kept else ("", 0)


_SIGNS = {
    (0, 0, 0): "-",
    (1, 0, 0): "@",
    (0, 1, 0): "X",
    (0, 0, 1): "*",
    (1, 1, 0): "$",
    (0, 1, 1): "%",
}
"""Whether a box, a goal and the player are on a square -> its sign."""

State = tuple[int, int]
"""The squares of the boxes, and those that the player can reach: bits of two numbers."""
Pull = tuple[State, int, int]
"""A state, where a box is after the player pulled it, and the step of both."""


def _floor(rng: Random, width: int, height: int, size: int) -> int:
    """Return `size` connected squares."""
    inside = {y * width + x for y in range(1, height - 1) for x in range(1, width - 1)}
    edge, floor = [rng.choice(sorted(inside))], 0
    while floor.bit_count() < size:
        square = edge.pop(rng.randrange(len(edge)))
        if not floor >> square & 1:
            floor |= 1 << square
            edge += [square + step for step in (1, -1, width, -width) if square + step in inside]
    return floor


def _places(squares: int) -> list[int]:
    return [place for place in range(squares.bit_length()) if squares >> place & 1]


def _pulled(
    floor: int, goals: int, width: int, turns: int
) -> tuple[list[State], dict[State, Pull | None]]:
    """Return the states that take `turns` turns to solve, and the pull that leads to each one.

    A turn is any number of pushes of one box. The search goes backwards: it pulls boxes off goals.
    """
    free = floor & ~goals
    solved = ((goals, reached(1 << place, free, width)) for place in _places(free))
    pulls: dict[State, Pull | None] = dict.fromkeys(solved)
    last = list(pulls)
    for _ in range(turns):
        found: dict[State, Pull] = {}
        for start in last:
            for box in _places(start[0]):
                seen, stack = {start}, [(start, box)]
                while stack:
                    state, place = stack.pop()
                    for step in (1, -1, width, -width):
                        to = place + step
                        player = to + step
                        if not (state[1] >> to & 1 and (floor & ~state[0]) >> player & 1):
                            continue
                        boxes = state[0] ^ 1 << place ^ 1 << to
                        new = boxes, reached(1 << player, floor & ~boxes, width)
                        if new not in pulls and new not in seen:
                            seen.add(new)
                            stack.append((new, to))
                            found.setdefault(new, (state, to, step))
        pulls |= found
        last = list(found)
    return last, pulls


def _pushes(pulls: dict[State, Pull | None], state: State, player: int, width: int) -> str:
    """Return the steps of the player that undo all pulls."""
    names = {1: "R", -1: "L", width: "D", -width: "U"}
    steps = ""
    while pull := pulls[state]:
        before, box, step = pull
        ways = {player: ""}
        queue = [player]
        for place in queue:
            for way, name in names.items():
                if state[1] >> place + way & 1 and place + way not in ways:
                    ways[place + way] = ways[place] + name
                    queue.append(place + way)
        steps += ways[box + step] + names[-step]
        state, player = before, box
    return steps


_STEPS = re.compile("[LRUD]*")


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the library's score, or 0.0 for far more steps than the reference answer has.

    The library gives 1.0 to the right steps scattered over prose, and to walking about until the
    boxes are in place. Steps behind a solution earn 1.0 if the board is solved at their end, which
    is all that the question asks: so a few solutions may be given twice.
    """
    needed = len(str(entry["answer"]).strip())
    return moves_score(answer, library, _STEPS) if len(answer) <= 2 * needed + 4 else 0.0


def astar(
    matrix: Any,
    player_pos: Sequence[int],
    debug: bool = False,
    heuristic: str = "manhattan",
    max_depth: int = 100,
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


_BOX = re.compile("@")


def _cost_of_boxes(state: str, *, width: int) -> tuple[bool, int, list[tuple[int, int]]]:
    """Return whether a box is stuck, what the boxes cost, and where they are.

    The cost is the sum of the boxes' distances to their nearest goals, and the size of the board
    for each box that is not on a goal.
    """
    places = [box.start() for box in _BOX.finditer(state)]
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
    correct=correct,
    verify=verify,
    clarify=(("", "Avoid needless steps."),),
    family=turned_grid,
    # On the curriculum's smallest board, the default of 10 boxes takes 10 s and 1.3 GB. What
    # makes a board hard is the number of boxes, and little room for them.
    levels=moving(
        w=[(6, 6), (6, 6), (6, 6), (6, 6), (6, 6)],
        h=[(6, 6), (6, 6), (7, 7), (7, 7), (8, 8)],
        boxes=[(1, 1), (2, 2), (2, 2), (3, 3), (4, 4)],
        max_depth=[20, 25, 25, 35, 35],
    ),
    faster={
        "games.contrib.sokoban.src.astar:astar": astar,
        "games.contrib.sokoban.src.player:ReversePlayer:get_state": signs,
    },
    constructs={"games.contrib.sokoban.src.generator:solve_astar": solved_if_kept},
    accepted={"wrong": "two steps on the way to a box may change places"},
)
