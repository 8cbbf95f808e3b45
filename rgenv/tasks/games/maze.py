"""Count the steps of the shortest way through a maze."""

import re
from random import Random

from rgenv.tasks import Answers, Entry, Number, Task, changed, moving, obeys, random_of, replaced
from rgenv.tasks.boards import MAX_BOARDS, MAX_PIECES, between
from rgenv.tasks.symmetries import turned_and_renamed

LENGTHS, SIDE = (5, 16), 11
"""The lengths of a hardened way, and the cells of a side, where no parameters are asked for."""
WALLS = (0.2, 0.3)
"""The least and the greatest share of walls in a hardened maze."""


def harden(entry: Entry) -> Entry | None:
    """Draw other walls: a table of the distance is right in .62 of the library's, in .18 of these.

    Coins choose the distance without walls and the length of the way, as far as they can.
    """
    rng, meta, side = random_of(entry), entry["metadata"], SIDE
    length = rng.randint(*LENGTHS)
    if not obeys(entry, dist=length):
        length = rng.randint(*meta["difficulty"]["dist"])
    if not obeys(entry, grid_size=side):
        side = meta["difficulty"]["grid_size"][1]
    least = meta["difficulty"]["dist"][0]
    distance = rng.choice([n for n in range(1, least + 3) if (length - n) % 2 == 0])
    for _ in range(MAX_BOARDS):
        if maze := _maze(rng, side, distance, length):
            start, goal, free = maze
            cells = [meta["path" if free >> i & 1 else "wall"] for i in range(side * side)]
            cells[start], cells[goal] = meta["start"], meta["goal"]
            rows = ["".join(cells[i : i + side]) for i in range(0, side * side, side)]
            question = replaced(entry["question"], "\n".join(meta["grid"]), "\n".join(rows))
            facts = {"grid": rows, "grid_size": side, "shortest_path_length": length}
            return changed(entry, question, str(length), **facts)
    return None


def _maze(rng: Random, side: int, distance: int, length: int) -> tuple[int, int, int] | None:
    """Return start, goal and the cells without walls as bits; None if the way is longer."""
    cells = [row * side + column for row in range(1, side - 1) for column in range(1, side - 1)]
    start = rng.choice(cells)
    y, x = divmod(start, side)
    goals = [i for i in cells if abs(i // side - y) + abs(i % side - x) == distance]
    if not goals:
        return None
    ends = start, rng.choice(goals)
    free = sum(1 << i for i in cells)
    layers = between(ends, free, side)
    for _ in range(MAX_PIECES):
        if len(layers) + 1 >= length:
            break
        layer = rng.choice(layers)
        longer = between(ends, free ^ layer, side)
        if longer and len(longer) < length:
            free, layers = free ^ layer, longer
    if len(layers) + 1 != length:
        return None
    # As many walls, whatever the length.
    kept = sum(layers) | 1 << ends[0] | 1 << ends[1]
    spare = [i for i in cells if free >> i & 1 and not kept >> i & 1]
    missing = int(len(cells) * rng.uniform(*WALLS)) - len(cells) + free.bit_count()
    for i in rng.sample(spare, min(max(missing, 0), len(spare))):
        free ^= 1 << i
    return *ends, free


def _rows(question: str) -> list[str]:
    """Return the rows of the maze. Its walls may be backticks, as is the end of its block."""
    return question.split("```\n", 1)[1].rsplit("\n```\n", 1)[0].split("\n")


def shortcuts(question: str) -> Answers:
    """Measure the distance as if there were no walls."""
    start, goal = re.findall(r"'(.)' \((?:start|goal)\)", question)
    places = {sign: (y, x) for y, row in enumerate(_rows(question)) for x, sign in enumerate(row)}
    distance = sum(abs(a - b) for a, b in zip(places[start], places[goal], strict=True))
    return {"the distance without walls": str(distance)}  # .65


def family(entry: Entry) -> object:
    """Keep the grid; ignore rotations, mirrors, other symbols."""
    return turned_and_renamed(_rows(entry["question"]))


TASK = Task(
    answer=Number(unit="steps?"),
    harden=harden,
    shortcuts=shortcuts,
    kept={"the distance without walls": 0.3},  # else one detour would be right in most problems
    family=family,
    # The distance is what makes a maze hard; a side of 100 cells is long rather than deep.
    levels=moving(
        dist=[(5, 9), (9, 13), (13, 18), (19, 26), (27, 37)],
        grid_size=[(8, 10), (10, 13), (13, 16), (17, 21), (22, 27)],
    ),
    accepted={"shortcut": "most of the library's ways have a detour or none; hardened ones differ"},
)
