"""Move cars out of the way of the red one."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.lists import joined_items, matching
from rgenv.tasks.answers.moves import Moves
from rgenv.tasks.answers.notation import minus_sign, plain_signs
from rgenv.tasks.boards import Metadata
from rgenv.tasks.entry import Entry
from rgenv.tasks.limits import bounded_int
from rgenv.tasks.record import Answers, Levels, LibraryVerifier, Task
from rgenv.tasks.symmetries import part_of, rows_of_cells, turned_and_renamed
from rgenv.tasks.verifying import moves_score

_CAR = re.compile(r"([A-Z])\1?([+-])(\d{1,2})", re.ASCII)
_read_cars = matching(r"(?:([A-Z])\1?[+-]\d{1,2})+", re.ASCII)


class CarMoves(Moves):
    """Moves such as ``A+1`` or ``AA+1`` in any form of a list, also next to each other."""

    def read(self, text: str, entry: Entry) -> str | None:
        cars = _CAR.findall(joined_items(plain_signs(text), _read_cars, " ") or "")
        return " ".join(f"{car}{sign}{int(steps)}" for car, sign, steps in cars) or None

    def forms(self, reference: str, question: str) -> Forms:
        return super().forms(reference, question) | minus_sign(reference)


_CARS = re.compile(r"[A-Z][+-]\d{1,2}(?: [A-Z][+-]\d{1,2})*", re.ASCII)
_SIDE = 6
"""Cells in a row of the rush_hour board, and in a column."""


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for possible moves that bring the red car to the exit.

    The library gives 0.01 to any text. It gives 1.0 to moves through other cars, because it makes
    as many steps of a move as there is room for.
    """
    board = entry["metadata"]["board_config"]
    return float(moves_score(answer, library, _CARS) >= 1.0 and _are_possible(answer, board))


def _are_possible(answer: str, board: str) -> bool:
    """Return whether every step of every move has room on the board.

    The question shows the board with its cars renamed to A, B, C and so on, in the order of their
    names in `board`.
    """
    names = sorted(set(board) - {"o", "x"})
    cars = {
        chr(ord("A") + place): {i for i, cell in enumerate(board) if cell == name}
        for place, name in enumerate(names)
    }
    walls = {i for i, cell in enumerate(board) if cell == "x"}
    for car, sign, steps in re.findall(r"([A-Z])([+-])(\d+)", answer):
        for _ in range(int(steps)):
            moved = _shift(cars[car], 1 if sign == "+" else -1) if car in cars else None
            others = walls.union(*(cells for other, cells in cars.items() if other != car))
            if moved is None or moved & others:
                return False
            cars[car] = moved
    return True


def _shift(cells: set[int], direction: int) -> set[int] | None:
    """Return the cells of a car after one step, or None if it would leave the board."""
    stride = 1 if max(cells) - min(cells) < _SIDE else _SIDE
    moved = {cell + direction * stride for cell in cells}
    inside = min(moved) >= 0 and max(moved) < _SIDE * _SIDE
    same_row = stride == _SIDE or len({cell // _SIDE for cell in moved | cells}) == 1
    return moved if inside and same_row else None


Positions = tuple[int, ...]
"""The first cell of every car of a rush hour board."""
MAX_BOARDS = 300_000
"""The positions that a rush hour search may visit. The library's own boards need 30,000."""
SIDE = 6
EXIT = 2 * SIDE + 4
"""The cell that the left half of the red car has to reach."""


def solve(metadata: Metadata) -> str | None:
    """Return the fewest moves that bring the red car to the exit."""
    board: str = metadata["board_config"]
    labels = sorted(set(board) - {"o", "x"})
    cells = [[i for i, label in enumerate(board) if label == name] for name in labels]
    strides = [places[1] - places[0] for places in cells]
    walls = sum(1 << i for i, label in enumerate(board) if label == "x")
    start = tuple(places[0] for places in cells)
    cars = [(len(places), stride) for places, stride in zip(cells, strides, strict=True)]
    came_from: dict[Positions, tuple[Positions, str] | None] = {start: None}
    queue = deque([start])
    while queue and len(came_from) < MAX_BOARDS:
        state = queue.popleft()
        if state[0] == EXIT:
            return _moves_to(state, came_from)
        for car, place in _slides(state, cars, walls):
            reached = (*state[:car], place, *state[car + 1 :])
            if reached not in came_from:
                steps = (place - state[car]) // cars[car][1]
                came_from[reached] = state, f"{chr(ord('A') + car)}{steps:+d}"
                queue.append(reached)
    return None


def _slides(state: Positions, cars: list[tuple[int, int]], walls: int) -> Iterator[tuple[int, int]]:
    """Yield every car (by index) with every cell that it can slide to.

    Args:
        cars: length and stride of each car; a stride of 1 is horizontal.
        walls: a bit for each cell that is a wall.
    """
    taken = walls
    for place, (size, stride) in zip(state, cars, strict=True):
        for step in range(size):
            taken |= 1 << place + step * stride
    for car, (size, stride) in enumerate(cars):
        first = state[car]
        offset = first % SIDE if stride == 1 else first // SIDE
        for ahead in range(1, SIDE - offset - size + 1):
            if taken >> first + (size - 1 + ahead) * stride & 1:
                break
            yield car, first + ahead * stride
        for back in range(1, offset + 1):
            if taken >> first - back * stride & 1:
                break
            yield car, first - back * stride


def _moves_to(state: Positions, came_from: Mapping[Positions, tuple[Positions, str] | None]) -> str:
    moves: list[str] = []
    while (step := came_from[state]) is not None:
        state, move = step
        moves.append(move)
    return " ".join(reversed(moves))


_CAR_MOVE = re.compile(r"[A-Z][+-](\d+)")


def _car_steps(answer: str) -> str | None:
    """rush_hour moves a car one step at a time, even through walls."""
    steps = sum(bounded_int(match[1]) for match in _CAR_MOVE.finditer(answer))
    return f"moves that add up to {steps} steps" if steps > 20_000 else None


def shortcuts(question: str) -> Answers:
    """Push what is in the way of the red car down first."""
    rows = question.split("Board:\n", 1)[1].strip().split("\n")
    row = next(line for line in rows if "AA" in line)
    ahead = row[row.index("AA") + 2 :]
    moves = [f"{car}+3" for car in dict.fromkeys(ahead) if car.isalpha()] + [f"AA+{len(ahead)}"]
    return {"the rest by +3, then the red car": " ".join(moves)}  # .04


def family(entry: Entry) -> object:
    """Keep the grid; ignore rotations, mirrors, names of cars."""
    return turned_and_renamed(rows_of_cells(part_of(r"Board:\n(.*?)\s*\Z", entry)))


TASK = Task(
    answer=CarMoves(),
    verify=verify,
    solve=solve,
    limits=(_car_steps,),
    shortcuts=shortcuts,
    several_answers=True,
    family=family,
    # The curriculum's ranges overlap.
    levels=Levels(knots={"min_moves": [1, 5, 12, 22, 32], "max_moves": [4, 12, 22, 32, 60]}),
    prepared=("min_moves", "max_moves"),
    accepted={"wrong": ("in the easiest problems a car may move one step further and still win")},
)
