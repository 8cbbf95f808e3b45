"""Replace slow searches of the library with faster ones that return identical results.

    install()    # affects this process from now on

Most of the time that problems take is spent in a few generators that search for solutions.
`REPLACEMENTS` replaces their inner loops. They count in another order, remember known
results, and use plain tuples and strings for states. They draw the same random numbers and return
the same results, so every recipe still makes the same problem; tests/worker/test_fast_generators.py
compares each one with the library's function. Where the library would run for ever, as with some
programs of bf, they raise ValueError. A task that is not covered keeps the library's searches.
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

from rgenv.worker import fast_numbers
from rgenv.worker.coverage import covered
from rgenv.worker.work import programs

Board = list[list[int]]
Cell = tuple[int, int]
Move = tuple[str, str, str]


def install() -> None:
    """Install the functions of `REPLACEMENTS` for covered tasks; idempotent."""
    for owner, name, replacement in resolved_replacements():
        setattr(owner, name, replacement)


def resolved_replacements() -> Iterator[tuple[Any, str, Any]]:
    """Yield the owner (a module or class), the name in it, and the replacement, by covered task.

    Raises:
        AttributeError: the library has no such name.
    """
    known = (paths for task, paths in REPLACEMENTS.items() if covered(task))
    for path, replacement in (pair for paths in known for pair in paths.items()):
        module, *classes, name = path.split(":")
        owner: Any = importlib.import_module(f"reasoning_gym.{module}")
        for class_name in classes:
            owner = getattr(owner, class_name)
        getattr(owner, name)
        yield owner, name, replacement


# sokoban. A state is a string of all rows, with walls on every side.


def sokoban_astar(
    matrix: Any,
    player_pos: tuple[int, int],
    debug: bool = False,
    heuristic: str = "manhattan",
    max_depth: int = 100,
) -> tuple[str | None, int]:
    """Search as the library does, with the only heuristic that it uses; evaluate each state once.

    Re-expands visited states, as the library does, to reproduce its exact solutions.
    """
    width = matrix.shape[1]
    start = "".join(matrix.flatten().tolist())
    player = int(player_pos[0]) * width + int(player_pos[1])
    estimate = functools.cache(functools.partial(_estimate, width=width))
    heap = [(0, _distance(start, player, width), start, player, 0, "")]
    steps = (("D", width), ("U", -width), ("L", -1), ("R", 1))
    seen, depth = set(), 0
    while heap:
        _, cost, state, player, depth, path = heappop(heap)
        seen.add(state)
        for name, step in steps:
            moved, step_cost = _move(state, player, step)
            if moved is None or moved in seen:
                continue
            remaining = estimate(moved, player + step)
            if remaining is None:
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


def _estimate(state: str, player: int, *, width: int) -> int | None:
    """Return the estimated cost of a solution; None if a box is stuck."""
    return None if _is_deadlock(state, width) else _distance(state, player, width)


def _distance(state: str, player: int, width: int) -> int:
    """Sum the boxes' distances to their nearest goals, the player's to the nearest box, and the
    size of the board for each box that is not on a goal."""
    boxes = [divmod(index, width) for index in _positions(state, "@")]
    goals = [divmod(index, width) for index in _positions(state, "X") + _positions(state, "%")]
    x, y = divmod(player, width)
    to_goals = sum(min(abs(a - c) + abs(b - d) for c, d in goals) for a, b in boxes)
    to_box = min((abs(a - x) + abs(b - y) for a, b in boxes), default=0)
    return len(boxes) * len(state) + to_goals + to_box


def _positions(state: str, cell: str) -> list[int]:
    positions, index = [], state.find(cell)
    while index >= 0:
        positions.append(index)
        index = state.find(cell, index + 1)
    return positions


def _is_deadlock(state: str, width: int) -> bool:
    """Return whether a box cannot be moved, or an edge has more boxes than goals."""
    if any(_is_stuck(state, box, width) for box in _positions(state, "@")):
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
    """Return whether `box` is in a corner, or in a square of four boxes or walls."""
    sides = [side for side in (-1, 1) if state[box + side] in "@+$"]
    ends = [end for end in (-width, width) if state[box + end] in "@+$"]
    return any(
        state[box + side] == state[box + end] == "+" or state[box + side + end] in "@+$"
        for side in sides
        for end in ends
    )


# futoshiki.


def futoshiki_random_solution(_self: Any, size: int, rng: Random) -> Board:
    """Return a random latin square. Each row is the first permutation of a shuffled row that fits.

    Raises:
        ValueError: no row fits, as in the library.
    """
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


def _rows(numbers: list[int], taken: list[set[int]], prefix: list[int]) -> Iterator[list[int]]:
    """Yield the permutations of `numbers` after `prefix` that use no number taken in its column.

    Their order is that of itertools.permutations.
    """
    if len(prefix) == len(taken):
        yield prefix
        return
    for number in numbers:
        if number not in taken[len(prefix)]:
            rest = [other for other in numbers if other != number]
            yield from _rows(rest, taken, [*prefix, number])


def futoshiki_count_solutions(
    _self: Any, grid: Board, constraints: Mapping[tuple[Cell, Cell], str], limit: int = 2
) -> int:
    """Count the ways to fill the empty cells, up to `limit`."""
    empty = [(r, c) for r, row in enumerate(grid) for c, value in enumerate(row) if not value]
    smaller = [pair if sign == "<" else pair[::-1] for pair, sign in constraints.items()]
    known = [(grid[a][b], grid[c][d]) for (a, b), (c, d) in smaller]
    if any(less and more and less >= more for less, more in known):
        return 0 if empty else 1
    return _SolutionCounter(grid, smaller).count(empty, limit)


class _SolutionCounter:
    """Tries values in `grid` and restores it. Sets of values are the bits of an integer.

    Args:
        grid: the board, with 0 for an empty cell.
        smaller: pairs of cells, the first of which holds the smaller value.
    """

    def __init__(self, grid: Board, smaller: Sequence[tuple[Cell, Cell]]) -> None:
        self._grid = grid
        self._rows = [sum({1 << value for value in row if value}) for row in grid]
        columns = zip(*grid, strict=True)
        self._columns = [sum({1 << value for value in column if value}) for column in columns]
        self._larger: dict[Cell, list[Cell]] = {}
        self._smaller: dict[Cell, list[Cell]] = {}
        for less, more in smaller:
            self._larger.setdefault(less, []).append(more)
            self._smaller.setdefault(more, []).append(less)

    def count(self, empty: Sequence[Cell], limit: int) -> int:
        """Count the ways to fill the cells `empty`, up to `limit`; the most constrained first."""
        if not empty:
            return 1
        _, cell = min((self._candidates(cell).bit_count(), cell) for cell in empty)
        rest = [other for other in empty if other != cell]
        values, found = self._candidates(cell), 0
        while values and found < limit:
            bit = values & -values
            values ^= bit
            self._toggle(cell, bit)
            self._grid[cell[0]][cell[1]] = bit.bit_length() - 1
            found += self.count(rest, limit - found)
            self._toggle(cell, bit)
            self._grid[cell[0]][cell[1]] = 0
        return found

    def _toggle(self, cell: Cell, bit: int) -> None:
        self._rows[cell[0]] ^= bit
        self._columns[cell[1]] ^= bit

    def _candidates(self, cell: Cell) -> int:
        """Return the set of values that `cell` can take."""
        r, c = cell
        values: int = ((2 << len(self._grid)) - 2) & ~(self._rows[r] | self._columns[c])
        for x, y in self._larger.get(cell, ()):
            if self._grid[x][y]:
                values &= (1 << self._grid[x][y]) - 1
        for x, y in self._smaller.get(cell, ()):
            values &= -2 << self._grid[x][y]
        return values


# knight_swap.


def knight_swap_solution(
    board: Mapping[str, Sequence[str]], pieces: Mapping[str, str | None], start_turn: str = "w"
) -> list[Move] | None:
    """Return the fewest moves that exchange white and black; None if there are none.

    Builds its sets exactly as the library does, so that they iterate in the same order.
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


# bf.

_bf_output: dict[str, str] = {}
"""The last program that was compiled -> its output."""


def bf_compiled(_self: Any, bfit: str) -> str:
    """Compile a program, and run its source, which takes far less time than the compiled program.

    Raises:
        ValueError: it takes too many steps or never ends.
    """
    output, _ = programs.run_bf(bfit)
    compiler = importlib.import_module("reasoning_gym.code.contrib.bfit.Compiler").Compiler
    program = str(compiler.compile(bfit, optimize_code=True))
    _bf_output.clear()
    _bf_output[program] = output
    return program


def bf_interpreted(program: str, **options: Any) -> Any:
    """Return the output of a program."""
    if program in _bf_output:
        return _bf_output[program]
    interpreter = importlib.import_module("bfi")
    return interpreter.execute(interpreter.parse(program), **options)


# arc_1d.

MAX_NUMBERS = 200_000
"""Random numbers of a problem, which takes a few hundred."""


class BoundedRandom(Random):
    """Draws the numbers of `Random`, and gives up where a loop draws numbers for ever.

    For some grids of more than 40 cells, the library looks for ten different colors among nine.
    """

    def __init__(self, seed: Any = None) -> None:
        super().__init__(seed)
        self._left = MAX_NUMBERS

    def randint(self, a: int, b: int) -> int:
        """Return a random integer between `a` and `b`, both included.

        Raises:
            ValueError: too many have been drawn.
        """
        self._left -= 1
        if self._left < 0:
            raise ValueError("the generator draws random numbers without end")
        return super().randint(a, b)


REPLACEMENTS: Mapping[str, Mapping[str, Any]] = types.MappingProxyType(
    {
        "arc_1d": {"arc.arc_1d:Random": BoundedRandom},
        "bf": {
            "code.bf:BFDataset:compile_bfit_code_to_bf": bf_compiled,
            "code.bf:bfi:interpret": bf_interpreted,
        },
        "futoshiki": {
            "games.futoshiki:FutoshikiDataset:_generate_random_solution": futoshiki_random_solution,
            "games.futoshiki:FutoshikiDataset:count_solutions": futoshiki_count_solutions,
        },
        "knight_swap": {
            "games.knight_swap:KnightSwapLogic:solve_swap": staticmethod(knight_swap_solution),
        },
        "sokoban": {"games.contrib.sokoban.src.astar:astar": sokoban_astar},
        **fast_numbers.REPLACEMENTS,
    }
)
"""Task -> ``module:class:function`` of reasoning-gym -> its replacement."""
