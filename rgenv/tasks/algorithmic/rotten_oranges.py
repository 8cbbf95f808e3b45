"""Count the minutes until all oranges in a grid are rotten."""

from functools import cache
from random import Random

from rgenv.tasks import Entry, Number, Task, moving, random_of, replaced, with_solution
from rgenv.tasks.boards import MAX_BOARDS, neighbours
from rgenv.tasks.questions import rows_written
from rgenv.tasks.symmetries import turned_grid

IMPOSSIBLE_SHARE = 0.4
"""The share of grids in which some oranges stay fresh."""
MAX_GROUP, MAX_DELAY = 4, 6
"""Oranges that are walled in, and minutes that walls add."""


def correct(entry: Entry) -> Entry | None:
    """Put the same numbers of oranges in other places; a coin decides whether all of them rot.

    The empty cells are walls: they enclose a group of oranges, or delay the last one.
    """
    rng = random_of(entry)
    matrix = entry["metadata"]["matrix"]
    side = len(matrix)
    cells = sorted(cell for row in matrix for cell in row)
    # An orange in a corner stays fresh beside two empty cells; another one has to be rotten.
    cells[:2], cells[-1] = [0, 0], 2
    rng.shuffle(cells)
    if 1 not in cells:
        return None
    impossible = rng.random() < IMPOSSIBLE_SHARE
    for _ in range(2 * MAX_BOARDS):
        _, fresh, _ = minutes_to_rot(cells, side)
        if not fresh:
            break
        _reach(rng, cells, side, fresh)
    else:
        if not impossible:
            return None
    (_enclose if impossible else _delay)(rng, cells, side)
    minutes, fresh, _ = minutes_to_rot(cells, side)
    rows = [cells[start : start + side] for start in range(0, side * side, side)]
    question = replaced(entry["question"], rows_written(matrix), rows_written(rows))
    return with_solution(entry, question, -1 if fresh else minutes, matrix=rows)


def minutes_to_rot(cells: list[int], side: int) -> tuple[int, int, int]:
    """Return the minutes until nothing changes, the oranges still fresh then and the last to rot.

    Sets of cells are bits.
    """
    written = "".join(map(str, reversed(cells)))
    fresh = int(written.replace("2", "0"), 2)
    rotten = int(written.replace("1", "0").replace("2", "1"), 2)
    minutes = 0
    while spread := fresh & _beside(rotten, side):
        fresh ^= spread
        rotten = spread
        minutes += 1
    return minutes, fresh, rotten


def _beside(cells: int, side: int) -> int:
    """Return the cells above, below and beside given cells of a square, as bits."""
    first, last = _columns(side)
    return (cells & ~last) << 1 | (cells & ~first) >> 1 | cells << side | cells >> side


@cache
def _columns(side: int) -> tuple[int, int]:
    """Return the first and the last column of a square, as bits."""
    first = sum(1 << row * side for row in range(side))
    return first, first << side - 1


def _enclose(rng: Random, cells: list[int], side: int) -> None:
    """Put the oranges around a group of fresh ones into empty cells, if there are enough."""
    oranges = [i for i, cell in enumerate(cells) if cell == 1]
    for _ in range(MAX_BOARDS):
        group = {rng.choice(oranges)}
        for _ in range(rng.randrange(MAX_GROUP)):
            group.add(rng.choice([i for i in _around(group, side) if cells[i] == 1] or [*group]))
        around = _around(group, side)
        full = [i for i in around if cells[i]]
        empty = [i for i, cell in enumerate(cells) if cell == 0 and i not in around]
        if len(full) <= len(empty):
            for i, j in zip(full, rng.sample(empty, len(full)), strict=True):
                cells[i], cells[j] = 0, cells[i]
            return


def _delay(rng: Random, cells: list[int], side: int) -> None:
    """Put empty cells in the way of the last orange to rot, as long as all of them rot."""
    empty = [i for i, cell in enumerate(cells) if cell == 0]
    minutes, _, last = minutes_to_rot(cells, side)
    wanted = minutes + rng.randint(0, MAX_DELAY)
    for _ in range(MAX_BOARDS):
        if minutes >= wanted:
            break
        i, n = last.bit_length() - 1, rng.randrange(len(empty))
        for _ in range(rng.randint(1, 3)):
            i = rng.choice([j for j in _around({i}, side) if cells[j]])
        j = empty[n]
        cells[i], cells[j] = 0, cells[i]
        found, fresh, farthest = minutes_to_rot(cells, side)
        if fresh or found < minutes:
            cells[i], cells[j] = cells[j], 0
        else:
            minutes, last, empty[n] = found, farthest, i


def _around(group: set[int], side: int) -> list[int]:
    """Return the cells beside those of a group."""
    beside = {r * side + c for i in group for r, c in neighbours(divmod(i, side), side, side)}
    return sorted(beside - group)


def _reach(rng: Random, cells: list[int], side: int, fresh: int) -> None:
    """Put a fresh orange from elsewhere beside an orange that nothing reaches."""
    fringe = _beside(fresh, side)
    empty = [i for i, cell in enumerate(cells) if cell == 0 and fringe >> i & 1]
    others = [i for i, cell in enumerate(cells) if cell == 1 and not (fresh | fringe) >> i & 1]
    if empty and others:
        i, j = rng.choice(empty), rng.choice(others)
        cells[i], cells[j] = 1, 0


TASK = Task(
    answer=Number(unit="minutes?"),
    correct=correct,
    labels={"-1": 0.4},
    family=turned_grid,
    # In a large grid with many empty cells some orange always stays fresh, so the share of
    # empty cells falls with the size, and that of rotten oranges too, which takes more minutes.
    levels=moving(
        n=[(4, 5), (6, 8), (9, 12), (13, 17), (18, 24)],
        p_oranges=[0.7, 0.8, 0.86, 0.9, 0.92],
        p_rotten=[0.2, 0.1, 0.04, 0.02, 0.01],
    ),
)
