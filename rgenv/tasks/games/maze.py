"""Count the steps of the shortest way through a maze."""

from random import Random

from rgenv.tasks import Entry, Number, Task, changed, moving, random_of
from rgenv.tasks.boards import MAX_BOARDS, MAX_PIECES, between
from rgenv.tasks.symmetries import turned_and_renamed

LENGTHS, MIN_SIDE = 12, 11
"""The lengths that a way may have, and the cells of a side, at least.

The distance without walls tells only whether the length is odd. In a smaller maze, and on short
ways, a step to the cell nearest to the goal is mostly right.
"""
WALLED, WALLS = 0.1, (0.2, 0.3)
"""The share of walls before any is put in the way, and the shares of them afterwards."""


def correct(entry: Entry) -> Entry | None:
    """Put other walls, some of them in the way, until the way has a length that a coin chose.

    So the distance without walls does not tell the length, nor does the number of walls.
    """
    rng, meta = random_of(entry), entry["metadata"]
    least, most = meta["difficulty"]["dist"]
    if most - least + 1 < LENGTHS:
        least, most = most, most + LENGTHS - 1
    length = rng.randint(least, most)
    distance = rng.choice([n for n in range(2, least + 3) if (length - n) % 2 == 0])
    smallest, largest = meta["difficulty"]["grid_size"]
    side = max(MIN_SIDE, rng.randint((smallest + largest + 1) // 2, largest))
    signs = {name: meta[name] for name in ("wall", "path", "start", "goal")}
    # A backtick would end the block that shows the maze.
    other = next(sign for sign in "#.SG+" if sign not in signs.values())
    signs = {name: sign.replace("`", other) for name, sign in signs.items()}
    head, old, tail = entry["question"].partition("\n".join(meta["grid"]))
    if not old:
        return None
    head, tail = (part.replace("'`'", f"'{other}'") for part in (head, tail))
    for _ in range(MAX_BOARDS):
        if maze := _maze(rng, side, distance, length):
            start, goal, free = maze
            cells = [signs["path" if free >> i & 1 else "wall"] for i in range(side * side)]
            cells[start], cells[goal] = signs["start"], signs["goal"]
            rows = ["".join(cells[i : i + side]) for i in range(0, side * side, side)]
            question = "\n".join(rows).join([head, tail])
            facts = {"grid": rows, "grid_size": side, "shortest_path_length": length, **signs}
            return changed(entry, question, str(length), **facts)
    return entry  # the maze is too small


def _maze(rng: Random, side: int, distance: int, length: int) -> tuple[int, int, int] | None:
    """Return start, goal and the cells without walls as bits; None if the way is longer."""
    cells = [row * side + column for row in range(1, side - 1) for column in range(1, side - 1)]
    start = rng.choice(cells)
    y, x = divmod(start, side)
    goals = [i for i in cells if abs(i // side - y) + abs(i % side - x) == distance]
    if not goals:
        return None
    goal = rng.choice(goals)
    free = 1 << start | 1 << goal
    for i in rng.sample(cells, int(len(cells) * (1 - WALLED))):
        free |= 1 << i
    ends = start, goal
    layers = between(ends, free, side)
    for _ in range(MAX_PIECES):
        if not layers or len(layers) + 1 >= length:
            break
        layer = rng.choice(layers)
        longer = between(ends, free ^ layer, side)
        if longer and len(longer) < length:
            free, layers = free ^ layer, longer
    if len(layers) + 1 != length:
        return None
    kept = sum(layers) | 1 << start | 1 << goal
    spare = [i for i in cells if free >> i & 1 and not kept >> i & 1]
    missing = int(len(cells) * rng.uniform(*WALLS)) - len(cells) + free.bit_count()
    for i in rng.sample(spare, min(max(missing, 0), len(spare))):
        free ^= 1 << i
    return start, goal, free


def family(entry: Entry) -> object:
    """Keep the grid; ignore rotations, mirrors, other symbols."""
    rows = entry["question"].split("```\n", 1)[1].split("\n```", 1)[0].split("\n")
    return turned_and_renamed(rows)


TASK = Task(
    answer=Number(unit="steps?"),
    correct=correct,
    family=family,
    # The distance is what makes a maze hard; a side of 100 cells is long rather than deep.
    levels=moving(
        dist=[(5, 16), (9, 20), (13, 24), (19, 31), (27, 39)],
        grid_size=[(11, 11), (11, 13), (13, 16), (17, 21), (22, 27)],
    ),
)
