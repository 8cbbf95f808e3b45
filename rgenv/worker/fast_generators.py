"""Searches of the library done quicker, with the very same result.

    install()    # from now on, in this process

Most of the time that problems take goes into a few generators, which look for solutions. `QUICK`
replaces the inner loops of three: what is counted is counted in another order, what was known is
not worked out again, a data class is a tuple. No random number is drawn elsewhere and no result
differs, so every recipe still makes the same problem; tests/test_quick.py holds each one against
the library's own. Written for reasoning-gym 0.1.25.
"""

from __future__ import annotations

import functools
import importlib
import types
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from random import Random
from typing import Any

Board = list[list[int]]
Cell = tuple[int, int]
Move = tuple[str, str, str]


def install() -> None:
    """Put the replacements of `QUICK` in place; calling it again changes nothing."""
    for place, name, replacement in replacements():
        setattr(place, name, replacement)


def replacements() -> Iterator[tuple[Any, str, Any]]:
    """The module or class, the name in it, and what is to stand there."""
    for path, replacement in QUICK.items():
        module, *owners, name = path.split(":")
        place: Any = importlib.import_module(f"reasoning_gym.{module}")
        for owner in owners:
            place = getattr(place, owner)
        getattr(place, name)
        yield place, name, replacement


# sokoban: a state is a string, a row after the other, with walls all around


def astar(
    matrix: Any,
    player_pos: tuple[int, int],
    debug: bool = False,
    heuristic: str = "manhattan",
    max_depth: int = 100,
) -> tuple[str | None, int]:
    """The library's search with its only heuristic in use; each state is judged once.

    It goes on from states that it has been to, which is no way to search, and is what makes the
    solution the one that it is.
    """
    width = matrix.shape[1]
    start = "".join(matrix.flatten().tolist())
    player = int(player_pos[0]) * width + int(player_pos[1])
    judge = functools.cache(functools.partial(_cost, width=width))
    heap = [(0, _distance(start, player, width), start, player, 0, "")]
    steps = (("D", width), ("U", -width), ("L", -1), ("R", 1))
    seen, depth = set(), 0
    while heap:
        _, cost, state, player, depth, path = heappop(heap)
        seen.add(state)
        for name, step in steps:
            moved, effort = _moved(state, player, step)
            if moved is None or moved in seen:
                continue
            ahead = judge(moved, player + step)
            if ahead is None:
                continue
            heappush(heap, (effort + cost, ahead, moved, player + step, depth + 1, path + name))
            if "@" not in moved:
                return path + name, depth + 1
        if depth > max_depth:
            break
    return None, -1 if not heap else depth + 1


def _moved(state: str, player: int, step: int) -> tuple[str | None, int]:
    """The state after a step, and what that costs; None where there is no way."""
    target, beyond = player + step, player + 2 * step
    what = state[target]
    pushes = what in "@$"
    if what == "+" or (pushes and state[beyond] in "+@$"):
        return None, 0
    cells = list(state)
    cells[player] = "-" if cells[player] == "*" else "X"
    cells[target] = "*" if what in "-@" else "%"
    if not pushes:
        return "".join(cells), 3
    cells[beyond] = "@" if cells[beyond] == "-" else "$"
    return "".join(cells), 0 if cells[beyond] == "$" else 2


def _cost(state: str, player: int, *, width: int) -> int | None:
    """How far the goals are; None where a box is stuck."""
    return None if _is_deadlock(state, width) else _distance(state, player, width)


def _distance(state: str, player: int, width: int) -> int:
    """A board's size for each box off a goal, its way to the nearest, and the player's to a box."""
    boxes = [divmod(at, width) for at in _found(state, "@")]
    goals = [divmod(at, width) for at in _found(state, "X") + _found(state, "%")]
    x, y = divmod(player, width)
    ways = sum(min(abs(a - c) + abs(b - d) for c, d in goals) for a, b in boxes)
    own = min((abs(a - x) + abs(b - y) for a, b in boxes), default=0)
    return len(boxes) * len(state) + ways + own


def _found(state: str, sign: str) -> list[int]:
    found, at = [], state.find(sign)
    while at >= 0:
        found.append(at)
        at = state.find(sign, at + 1)
    return found


def _is_deadlock(state: str, width: int) -> bool:
    """Whether a box is where it can't be moved from, or an edge holds more boxes than goals."""
    if any(_is_stuck(state, box, width) for box in _found(state, "@")):
        return True
    last = len(state) - width
    edges = (
        state[width + 1 : 2 * width - 1],
        state[last - width + 1 : last - 1],
        state[width + 1 : last + 1 : width],
        state[2 * width - 2 : len(state) - 2 : width],
    )
    return any(edge.count("@") > edge.count("X") + edge.count("%") for edge in edges if "@" in edge)


def _is_stuck(state: str, box: int, width: int) -> bool:
    """In a corner, or one of four in a square that are all boxes or walls."""
    sides = [side for side in (-1, 1) if state[box + side] in "@+$"]
    ends = [end for end in (-width, width) if state[box + end] in "@+$"]
    return any(
        state[box + side] == state[box + end] == "+" or state[box + side + end] in "@+$"
        for side in sides
        for end in ends
    )


# futoshiki


def random_solution(_self: Any, size: int, rng: Random) -> Board:
    """A random latin square: for each row the first of the shuffled permutations that fits."""
    grid: Board = []

    def fill() -> bool:
        if len(grid) == size:
            return True
        numbers = list(range(1, size + 1))
        rng.shuffle(numbers)
        taken = [{row[c] for row in grid} for c in range(size)]
        for row in _rows(numbers, taken, []):
            grid.append(row)
            if fill():
                return True
            grid.pop()
        return False

    if not fill():
        raise ValueError("Could not generate a random solution.")
    return grid


def _rows(numbers: list[int], taken: list[set[int]], begun: list[int]) -> Iterator[list[int]]:
    """Permutations in the order of itertools that hold nothing which its column has taken."""
    if len(begun) == len(taken):
        yield begun
        return
    for number in numbers:
        if number not in taken[len(begun)]:
            rest = [other for other in numbers if other != number]
            yield from _rows(rest, taken, [*begun, number])


def count_solutions(
    _self: Any, grid: Board, constraints: Mapping[tuple[Cell, Cell], str], limit: int = 2
) -> int:
    """The number of ways to fill the empty cells, at most `limit`."""
    empty = [(r, c) for r, row in enumerate(grid) for c, value in enumerate(row) if not value]
    smaller = [pair if sign == "<" else pair[::-1] for pair, sign in constraints.items()]
    known = [(grid[a][b], grid[c][d]) for (a, b), (c, d) in smaller]
    if any(less and more and less >= more for less, more in known):
        return 0 if empty else 1
    return _Fillings(grid, smaller).count(empty, limit)


class _Fillings:
    """Tries values in `grid`, which it leaves as it was; a set of values is a number's bits."""

    def __init__(self, grid: Board, smaller: Sequence[tuple[Cell, Cell]]) -> None:
        self._grid = grid
        self._rows = [sum({1 << value for value in row if value}) for row in grid]
        columns = zip(*grid, strict=True)
        self._columns = [sum({1 << value for value in column if value}) for column in columns]
        self._above: dict[Cell, list[Cell]] = {}
        self._below: dict[Cell, list[Cell]] = {}
        for less, more in smaller:
            self._above.setdefault(less, []).append(more)
            self._below.setdefault(more, []).append(less)

    def count(self, empty: Sequence[Cell], limit: int) -> int:
        """Ways to fill the cells `empty`, at most `limit`; the most constrained comes first."""
        if not empty:
            return 1
        _, cell = min((self._free(cell).bit_count(), cell) for cell in empty)
        rest = [other for other in empty if other != cell]
        values, found = self._free(cell), 0
        while values and found < limit:
            bit = values & -values
            values ^= bit
            self._flip(cell, bit)
            self._grid[cell[0]][cell[1]] = bit.bit_length() - 1
            found += self.count(rest, limit - found)
            self._flip(cell, bit)
            self._grid[cell[0]][cell[1]] = 0
        return found

    def _flip(self, cell: Cell, bit: int) -> None:
        self._rows[cell[0]] ^= bit
        self._columns[cell[1]] ^= bit

    def _free(self, cell: Cell) -> int:
        r, c = cell
        values: int = ((2 << len(self._grid)) - 2) & ~(self._rows[r] | self._columns[c])
        for x, y in self._above.get(cell, ()):
            if self._grid[x][y]:
                values &= (1 << self._grid[x][y]) - 1
        for x, y in self._below.get(cell, ()):
            values &= -2 << self._grid[x][y]
        return values


# knight_swap


def solve_swap(
    board: Mapping[str, Sequence[str]], pieces: Mapping[str, str | None], start_turn: str = "w"
) -> list[Move] | None:
    """The fewest moves that exchange white and black, found in the order that the library has.

    Sets are made as it makes them, so that they are gone through in the same order.
    """
    white = frozenset(pos for pos, piece in pieces.items() if piece == "w")
    black = frozenset(pos for pos, piece in pieces.items() if piece == "B")
    State = tuple[frozenset[str], frozenset[str], str]
    start: State = (white, black, start_turn)
    came_from: dict[State, tuple[State, Move] | None] = {start: None}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        whites, blacks, turn = state
        if whites == black and blacks == white:
            return _moves_to(state, came_from)
        for pos in whites if turn == "w" else blacks:
            for neighbor in board[pos]:
                if neighbor in whites or neighbor in blacks:
                    continue
                new: State = (
                    (frozenset([p if p != pos else neighbor for p in whites]), blacks, "B")
                    if turn == "w"
                    else (whites, frozenset([p if p != pos else neighbor for p in blacks]), "w")
                )
                if new not in came_from:
                    came_from[new] = state, (turn, pos, neighbor)
                    queue.append(new)
    return None


def _moves_to(state: Any, came_from: Mapping[Any, Any]) -> list[Move]:
    moves = []
    while (step := came_from[state]) is not None:
        state, move = step
        moves.append(move)
    return moves[::-1]


QUICK: Mapping[str, Any] = types.MappingProxyType(
    {
        "games.contrib.sokoban.src.astar:astar": astar,
        "games.futoshiki:FutoshikiDataset:_generate_random_solution": random_solution,
        "games.futoshiki:FutoshikiDataset:count_solutions": count_solutions,
        "games.knight_swap:KnightSwapLogic:solve_swap": staticmethod(solve_swap),
    }
)
"""module:class:function of reasoning-gym -> what takes its place."""
