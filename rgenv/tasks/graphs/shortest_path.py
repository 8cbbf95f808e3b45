"""Find the shortest way through a grid."""

import random

from rgenv.tasks import Answer, Answers, Entry, Task, by_library, moving
from rgenv.tasks.answers.lists import joined_items, matching
from rgenv.tasks.boards import between
from rgenv.tasks.questions import rows_written
from rgenv.tasks.rewriting import changed, obeys, random_of, replaced
from rgenv.tasks.symmetries import turned_grid

MIN_SIDE = 9
"""The rows and columns of a hardened grid: in a smaller one steps towards the goal find the way."""
MAX_CUTS = 4
"""Cells whose blocking would leave no way, after which no other is tried."""

_read_step = matching("up|down|left|right")


class Directions(Answer):
    """Directions of any case in any form of a list, or the word infeasible."""

    name = "moves"

    def read(self, text: str, entry: Entry) -> str | None:
        if text.strip().lower() == "infeasible":
            return "infeasible"
        return joined_items(text.lower(), _read_step, " ") or None


def harden(entry: Entry) -> Entry | None:
    """Block the way: steps towards the goal are right in .75 of the library's, in .38 of these.

    As many cells are blocked, most of them on the shortest way, which winds more each time. A grid
    without a way stays as it is.
    """
    matrix = entry["metadata"]["matrix"]
    if entry["answer"] == "infeasible":
        return None
    rng, height, width = random_of(entry), len(matrix), len(matrix[0])
    share = sum(row.count("X") for row in matrix) / (height * width)
    share = entry["config"].get("p_blocked", share)
    height = max(height, MIN_SIDE if obeys(entry, rows=MIN_SIDE) else 0)
    width = max(width, MIN_SIDE if obeys(entry, cols=MIN_SIDE) else 0)
    wide = width + 1  # behind each row, and above the first, are cells that are never free
    firsts = range(wide, wide * (height + 1), wide)
    cells = [i for first in firsts for i in range(first, first + width)]
    start = rng.choice(cells)
    goal = rng.choice([i for i in cells if abs(i - start) not in (0, 1, wide)])
    free, layers = _blocked(rng, (start, goal), cells, int(share * len(cells)), wide)
    signs = {start: "*", goal: "#"}
    rows = [
        [signs.get(i, "O" if free >> i & 1 else "X") for i in range(first, first + width)]
        for first in firsts
    ]
    moves = {"up": -wide, "down": wide, "left": -1, "right": 1}
    steps, here = [], start
    for layer in [*layers, 1 << goal]:
        name, by = next(item for item in moves.items() if layer >> here + item[1] & 1)
        steps.append(name)
        here += by
    question = replaced(entry["question"], rows_written(matrix), rows_written(rows))
    return changed(entry, question, " ".join(steps), matrix=rows, solution=steps)


def _blocked(
    rng: random.Random, ends: tuple[int, int], cells: list[int], blocked: int, wide: int
) -> tuple[int, list[int]]:
    """Return the free cells, and the layers of the shortest ways, as bits.

    Raise ValueError if so many cells can't be blocked.
    """
    free = sum(1 << i for i in cells)
    layers, cuts = between(ends, free, wide), 0
    while blocked > 0 and cuts < MAX_CUTS:
        layer = rng.choice(layers)
        size = layer.bit_count()
        if size <= blocked and (other := between(ends, free ^ layer, wide)):
            free, layers, blocked = free ^ layer, other, blocked - size
        else:
            cuts += 1
    way = sum(layers) | 1 << ends[0] | 1 << ends[1]
    spare = [i for i in cells if (free & ~way) >> i & 1]
    for i in rng.sample(spare, blocked):
        free ^= 1 << i
    return free, layers


def shortcuts(question: str) -> Answers:
    """Go straight in two lines, as if nothing were in the way."""
    lines = question.rsplit("grid:\n", 1)[1].strip().split("\n")
    places = {sign: (y, x) for y, row in enumerate(lines) for x, sign in enumerate(row.split())}
    (y, x), (v, u) = places["*"], places["#"]
    down = ["down" if v > y else "up"] * abs(v - y)
    right = ["right" if u > x else "left"] * abs(u - x)
    return {
        "vertical first": " ".join(down + right),  # .48
        "horizontal first": " ".join(right + down),  # .49
    }


TASK = Task(
    answer=Directions(),
    also_right="any path that is as short",
    harden=harden,
    verify=by_library,
    labels={"infeasible": 0.3},
    shortcuts=shortcuts,
    family=turned_grid,
    # The share of blocked cells falls with the size, so that most grids have a way.
    levels=moving(
        rows=[(5, 6), (7, 9), (9, 12), (13, 17), (18, 24)],
        cols=[(5, 6), (7, 9), (9, 12), (13, 17), (18, 24)],
        p_blocked=[0.4, 0.38, 0.36, 0.35, 0.34],
    ),
)
