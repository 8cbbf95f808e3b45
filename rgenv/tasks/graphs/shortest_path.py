"""Find the shortest way through a grid."""

import random

from rgenv.tasks import Answer, Entry, Forms, Task, by_library, changed, moving, random_of, replaced
from rgenv.tasks.answers.lists import joined_items, matching, separated_forms
from rgenv.tasks.answers.words import Word
from rgenv.tasks.boards import Cell, between
from rgenv.tasks.questions import rows_written
from rgenv.tasks.symmetries import turned_grid

INFEASIBLE_SHARE = 0.3
MIN_SIDE = 9
"""The least rows and columns: in a smaller grid most ways are found by steps towards the goal."""
SCATTERED = 0.3
"""The share of blocked cells that are put anywhere, before the others are put in the way."""
MAX_CUTS = 4
"""Cells whose blocking would leave no way, after which no other is tried."""

_STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_read_step = matching("|".join(_STEPS))


def _board(question: str) -> tuple[dict[Cell, str], Cell, Cell]:
    """Return the sign of each cell, the start and the goal."""
    lines = question.rsplit("grid:\n", 1)[1].strip().split("\n")
    signs = {(y, x): sign for y, row in enumerate(lines) for x, sign in enumerate(row.split())}
    places = {sign: cell for cell, sign in signs.items()}
    return signs, places["*"], places["#"]


class Directions(Answer):
    """Directions of any case in any form of a list, or the word infeasible."""

    name = "moves"

    def read(self, text: str, entry: Entry) -> str | None:
        if text.strip().lower() == "infeasible":
            return "infeasible"
        return joined_items(text.lower(), _read_step, " ") or None

    def forms(self, reference: str, question: str) -> Forms:
        if len(reference.split()) < 2:
            return Word().forms(reference, question)
        cases = {"upper case": reference.upper(), "title case": reference.title()}
        return separated_forms(reference, arrows=True) | cases

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        if reference == "infeasible":
            return {"a path": rng.choice(["up", "left left", "down right", "right up right"])}
        steps = reference.split()
        turned = rng.choice([step for step in _STEPS if step != steps[-1]])
        return {
            "infeasible": "infeasible",
            "too long": f"{reference} up down",
            "turned": " ".join([*steps[:-1], turned]),
            "shuffled": " ".join(rng.sample(steps, len(steps))),
            "left out": " ".join(steps[:-1]),
        }

    def may_be_right(self, text: str, question: str) -> bool:
        """Steps in another order may be as short a path."""
        signs, (y, x), goal = _board(question)
        for step in text.split():
            if step not in _STEPS:
                return False
            y, x = y + _STEPS[step][0], x + _STEPS[step][1]
            if signs.get((y, x), "X") == "X":
                return False
        return (y, x) == goal


def correct(entry: Entry) -> Entry:
    """Block as many other cells, most of them on the shortest way, which winds more each time.

    A coin decides whether a way is left.
    """
    rng = random_of(entry)
    matrix = entry["metadata"]["matrix"]
    height, width = (max(MIN_SIDE, side) for side in (len(matrix), len(matrix[0])))
    share = sum(row.count("X") for row in matrix) / (len(matrix) * len(matrix[0]))
    wide = width + 1  # behind each row, and above the first, are cells that are never free
    firsts = range(wide, wide * (height + 1), wide)
    moves = {"up": -wide, "down": wide, "left": -1, "right": 1}
    cells = [i for first in firsts for i in range(first, first + width)]
    start = rng.choice(cells)
    goal = rng.choice([i for i in cells if abs(i - start) not in (0, 1, wide)])
    others = [i for i in cells if i not in (start, goal)]
    free, layers = _blocked(rng, (start, goal), others, int(share * len(cells)), wide)
    signs = {start: "*", goal: "#"}
    rows = [
        [signs.get(i, "O" if free >> i & 1 else "X") for i in range(first, first + width)]
        for first in firsts
    ]
    steps, here = [], start
    for layer in [*layers, 1 << goal] if layers else []:
        name, by = next(item for item in moves.items() if layer >> here + item[1] & 1)
        steps.append(name)
        here += by
    question = replaced(entry["question"], rows_written(matrix), rows_written(rows))
    answer = " ".join(steps) or "infeasible"
    return changed(entry, question, answer, matrix=rows, solution=steps)


def _blocked(
    rng: random.Random, ends: tuple[int, int], cells: list[int], blocked: int, wide: int
) -> tuple[int, list[int]]:
    """Return the free cells, and the layers of the shortest ways; none if the goal is cut off.

    Sets of cells are bits.
    """
    everything = sum(1 << i for i in (*ends, *cells))
    scattered = [1 << i for i in rng.sample(cells, int(SCATTERED * blocked))]
    while not (layers := between(ends, free := everything - sum(scattered), wide)):
        scattered = scattered[: len(scattered) * 3 // 4]
    left, cuts = blocked - len(scattered), 0
    while left > 0 and cuts < MAX_CUTS:
        layer = rng.choice(layers)
        if other := between(ends, free ^ layer, wide):
            free, layers, left = free ^ layer, other, left - layer.bit_count()
        else:
            cuts += 1
    if rng.random() < INFEASIBLE_SHARE:
        while layers:
            free ^= rng.choice(layers)
            layers = between(ends, free, wide)
    return free, layers


TASK = Task(
    answer=Directions(),
    correct=correct,
    verify=by_library,
    labels={"infeasible": 0.3},
    family=turned_grid,
    levels=moving(
        rows=[(9, 9), (9, 10), (9, 12), (12, 15), (15, 20)],
        cols=[(9, 9), (9, 10), (9, 12), (12, 15), (15, 20)],
        p_blocked=[0.06, 0.18, 0.3],
    ),
)
