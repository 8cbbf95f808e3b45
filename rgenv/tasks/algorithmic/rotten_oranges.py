"""Count the minutes until all oranges in a grid are rotten."""

from __future__ import annotations

from random import Random

from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.boards import MAX_BOARDS, flood, neighbours
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import last_grid, rows_written
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.rewriting import random_of, with_solution
from rgenv.tasks.symmetries import turned_grid
from rgenv.tasks.verifying import exact

IMPOSSIBLE_SHARE = 0.4
"""The share of grids in which some orange stays fresh."""


def correct(entry: Entry) -> Entry | None:
    """Put the same numbers of oranges in other places; a coin decides whether all of them rot."""
    rng = random_of(entry)
    matrix = entry["metadata"]["matrix"]
    side = len(matrix)
    cells = sorted(cell for row in matrix for cell in row)
    # An orange in a corner stays fresh beside two empty cells; another one has to be rotten.
    cells[:2], cells[-1] = [0, 0], 2
    wanted_fresh = rng.random() < IMPOSSIBLE_SHARE
    rng.shuffle(cells)
    head, old, tail = entry["question"].partition(rows_written(matrix))
    if 1 not in cells or not old:
        return None
    for _ in range(2 * MAX_BOARDS):
        minutes, fresh = minutes_to_rot(cells, side)
        if bool(fresh) == wanted_fresh:
            rows = [cells[start : start + side] for start in range(0, side * side, side)]
            question = f"{head}{rows_written(rows)}{tail}"
            return with_solution(entry, question, -1 if fresh else minutes, matrix=rows)
        if wanted_fresh:
            _isolate(rng, cells, side)
        else:
            _reach(rng, cells, side, fresh)
    return None


def minutes_to_rot(cells: list[int], side: int) -> tuple[int, int]:
    """Return the minutes until nothing changes, and the oranges still fresh then, as bits."""
    fresh, rotten = (sum(1 << i for i, cell in enumerate(cells) if cell == n) for n in (1, 2))
    minutes = 0
    while spread := fresh & _beside(rotten, side):
        fresh ^= spread
        rotten = spread
        minutes += 1
    return minutes, fresh


def _beside(cells: int, side: int) -> int:
    """Return the cells above, below and beside given cells of a square, as bits."""
    first = sum(1 << row * side for row in range(side))
    last = first << side - 1
    return (cells & ~last) << 1 | (cells & ~first) >> 1 | cells << side | cells >> side


def _isolate(rng: Random, cells: list[int], side: int) -> None:
    """Put the neighbours of a fresh orange into empty cells, if there are enough of those."""
    orange = rng.choice([i for i, cell in enumerate(cells) if cell == 1])
    around = [r * side + c for r, c in neighbours(divmod(orange, side), side, side)]
    full = [i for i in around if cells[i]]
    empty = [i for i, cell in enumerate(cells) if cell == 0 and i not in around]
    if len(full) <= len(empty):
        for i, j in zip(full, rng.sample(empty, len(full)), strict=True):
            cells[i], cells[j] = 0, cells[i]


def _reach(rng: Random, cells: list[int], side: int, fresh: int) -> None:
    """Put a fresh orange from elsewhere beside an orange that nothing reaches."""
    fringe = _beside(fresh, side)
    empty = [i for i, cell in enumerate(cells) if cell == 0 and fringe >> i & 1]
    others = [i for i, cell in enumerate(cells) if cell == 1 and not (fresh | fringe) >> i & 1]
    if empty and others:
        i, j = rng.choice(empty), rng.choice(others)
        cells[i], cells[j] = 1, 0


def shortcuts(question: str) -> Answers:
    cells = {(r, c): x for r, row in enumerate(last_grid(question)) for c, x in enumerate(row)}
    steps = flood([cell for cell, kind in cells.items() if kind == "2"], set(cells))
    farthest = max((steps[cell] for cell, kind in cells.items() if kind == "1"), default=0)
    return {"the largest distance as if no cell were empty": str(farthest)}  # .58


TASK = Task(
    answer=Number(unit="minutes?"),
    correct=correct,
    verify=exact,
    labels={"-1": 0.4},
    shortcuts=shortcuts,
    family=turned_grid,
    # In a large grid with many empty cells some orange always stays fresh, so the share of
    # empty cells falls with the size, and that of rotten oranges too, which takes more minutes.
    levels=Levels(
        knots={
            "min_n": [4, 6, 9, 13, 18],
            "max_n": [5, 8, 12, 17, 24],
            "p_oranges": [0.7, 0.8, 0.86, 0.9, 0.92],
            "p_rotten": [0.2, 0.1, 0.04, 0.02, 0.01],
        }
    ),
)
