"""Move cars out of the way of the red one."""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from rgenv.tasks import Answer, Entry, LibraryVerifier, Task, moving, part_of
from rgenv.tasks.answers.lists import joined_items, matching
from rgenv.tasks.answers.notation import plain_signs
from rgenv.tasks.limits import bounded_int
from rgenv.tasks.symmetries import rows_of_cells, turned_and_renamed
from rgenv.tasks.verifying import moves_score

_CAR = re.compile(r"([A-Z])\1?([+-])(\d{1,2})", re.ASCII)
_read_cars = matching(r"(?:([A-Z])\1?[+-]\d{1,2})+", re.ASCII)
_CARS = "[A-Z][+-][0-9]{1,2}(?: [A-Z][+-][0-9]{1,2})*"


class CarMoves(Answer):
    """Moves such as ``A+1`` or ``AA+1`` in any form of a list, also next to each other."""

    name = "moves"

    def read(self, text: str, entry: Entry) -> str | None:
        cars = _CAR.findall(joined_items(plain_signs(text), _read_cars, " ") or "")
        return " ".join(f"{car}{sign}{int(steps)}" for car, sign, steps in cars) or None


SIDE = 6
EXIT = 2 * SIDE + 4
"""The cell that the left half of the red car has to reach."""
Places = tuple[int, ...]
"""The first cell of every car."""
Slide = tuple[int, int]
"""A car, by its place among all, and its steps, which are below 0 to the left and up."""


class Traffic:
    """The cars of a board, which are named A, B, C and so on in the order of their labels."""

    def __init__(self, board: str) -> None:
        labels = sorted(set(board) - {"o", "x"})
        cells = [[i for i, label in enumerate(board) if label == name] for name in labels]
        self._walls = sum(1 << i for i, label in enumerate(board) if label == "x")
        self._cars = [(len(places), places[1] - places[0]) for places in cells]
        self.start: Places = tuple(places[0] for places in cells)

    def slides(self, places: Places) -> Iterator[tuple[Slide, Places]]:
        """Yield how far every car can slide, step by step, with the places of all cars then."""
        taken = self._walls
        for place, (size, stride) in zip(places, self._cars, strict=True):
            for step in range(size):
                taken |= 1 << place + step * stride
        for car, (size, stride) in enumerate(self._cars):
            first = places[car]
            before = first % SIDE if stride == 1 else first // SIDE
            for direction, end, room in ((1, size - 1, SIDE - before - size), (-1, 0, before)):
                for steps in range(direction, direction * (room + 1), direction):
                    if taken >> first + (end + steps) * stride & 1:
                        break
                    yield (car, steps), (*places[:car], first + steps * stride, *places[car + 1 :])


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for possible moves that bring the red car to the exit.

    The library gives 0.01 to any text. It gives 1.0 to moves through other cars, because it makes
    as many steps of a move as there is room for.
    """
    if moves_score(answer, library, _CARS) < 1.0:
        return 0.0
    traffic = Traffic(entry["metadata"]["board_config"])
    places: Places | None = traffic.start
    for car, sign, steps in _CAR.findall(answer):
        if places:
            places = dict(traffic.slides(places)).get((ord(car) - ord("A"), int(sign + steps)))
    return float(places is not None)


MAX_BOARDS = 300_000
"""Positions that a search may visit. The library's own boards need 30,000."""


def solve(metadata: Mapping[str, Any]) -> str | None:
    """Return the fewest moves that bring the red car to the exit."""
    traffic = Traffic(metadata["board_config"])
    ways, queue = {traffic.start: ""}, deque([traffic.start])
    while queue and len(ways) <= MAX_BOARDS:
        at = queue.popleft()
        for (car, steps), reached in traffic.slides(at):
            if reached not in ways:
                ways[reached] = f"{ways[at]} {chr(ord('A') + car)}{steps:+d}"
                if reached[0] == EXIT:
                    return ways[reached].strip()
                queue.append(reached)
    return None


def _car_steps(answer: str) -> str | None:
    """The library moves a car one step at a time, even through walls."""
    steps = sum(map(bounded_int, re.findall(r"[A-Z][+-](\d+)", answer)))
    return f"moves that add up to {steps} steps" if steps > 20_000 else None


def family(entry: Entry) -> object:
    """Keep the grid; ignore rotations, mirrors, names of cars."""
    return turned_and_renamed(rows_of_cells(part_of(r"Board:\n(.*?)\s*\Z", entry)))


TASK = Task(
    answer=CarMoves(),
    also_right="any possible moves that bring the car out, of any number",
    verify=verify,
    solve=solve,
    limits=(_car_steps,),
    family=family,
    # The curriculum's ranges overlap.
    levels=moving(moves=[(1, 4), (5, 12), (12, 22), (22, 32), (32, 60)]),
    prepared=("min_moves", "max_moves"),
    accepted={"wrong": "in the easiest problems a car may move one step further and still win"},
)
