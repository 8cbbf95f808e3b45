"""Boards whose answer can't be seen in the number of cells of each kind.

Example::

    game_of_life_halting(entry)    # as many live cells, whether they all die or not

A board is an integer, with one bit for each cell, row after row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from random import Random

from rgenv.tasks.entry import Entry
from rgenv.worker.labels.surfaces.shared import random_of, with_solution

Cell = tuple[int, int]

MAX_BOARDS, MAX_PIECES = 40, 200
"""Boards to try before an entry is given up, and pieces of the Game of Life."""

# --- game_of_life_halting -----------------------------------------------------------------------

PIECE_SIDE, PIECE_CELLS = 4, (4, 8)
"""Side of the square that holds a piece, and the piece's fewest and most live cells.

Pieces with a side of 3 that die do so in two or three steps, which gives them away.
"""
ALONE_SIDE, ALONE_STEPS = 16, 40
"""The empty board on which a piece is judged, and the steps for which it is played."""
SLOW_STEPS = (6, 10)
"""The fewest steps that one piece takes to die, one number as likely as the other.

If all pieces died sooner, a few steps would tell a board that halts from others.
"""
TRIES = 4
"""Choices of places for the pieces, of which the one with most places is taken."""
MIN_PATTERNS = 2
"""Patterns of the library's board, at least: there are few boards with a single one."""


def game_of_life_halting(entry: Entry) -> Entry | None:
    """Replace the board by pieces that all die out, or by the same but one that does not.

    The library's dying pieces are diagonals, and its living ones are not. Here the piece that lives
    has as many live cells, and as many of them side by side, as the one in whose place it is; as
    many are born and stay alive in the first step.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    if len(meta["placed_patterns"]) < MIN_PATTERNS:
        return None
    rows, columns, steps = meta["grid_size_x"], meta["grid_size_y"], meta["simulation_steps"]
    count = meta["difficulty"]["num_oscillators"]
    corners = max((_corners(rng, rows, columns, count) for _ in range(TRIES)), key=len)
    halts = rng.random() < 0.5
    board = _board_of_pieces(rng, (rows, columns), steps, corners, halts)
    head, marker, text = entry["question"].partition("Initial board:\n")
    if board is None or len(re.findall("[01]", text)) != rows * columns:
        return None
    cells = iter(range(rows * columns))
    shown = re.sub("[01]", lambda _: str(board >> next(cells) & 1), text)
    metadata = {**meta, "should_oscillate": not halts, "placed_patterns": []}
    question = f"{head}{marker}{shown}"
    return {**entry, "question": question, "answer": str(halts), "metadata": metadata}


def _corners(rng: Random, rows: int, columns: int, count: int) -> list[Cell]:
    """Return the upper left corners of squares for pieces, with a dead cell around each."""
    side = PIECE_SIDE
    free = [(r, c) for r in range(1, rows - side) for c in range(1, columns - side)]
    corners: list[Cell] = []
    while free and len(corners) < count:
        row, column = rng.choice(free)
        corners.append((row, column))
        free = [(r, c) for r, c in free if abs(r - row) > side + 1 or abs(c - column) > side + 1]
    return corners


def _board_of_pieces(
    rng: Random, size: Cell, steps: int, corners: list[Cell], halts: bool
) -> int | None:
    """Return a board that halts, or one with another piece that does not; None if none is found."""
    for _ in range(MAX_BOARDS):
        pieces = [_piece(rng, 1, steps) for _ in corners]
        changed = rng.randrange(len(corners))
        pieces[changed] = _piece(rng, rng.randint(*SLOW_STEPS), steps)
        # Boards that halt have a piece in whose place one could live, too: they look no different.
        living = _piece(rng, None, steps, like=pieces[changed])
        if not living or not pieces[changed]:
            continue
        if not halts:
            pieces[changed] = living
        board = sum(
            _moved(piece, size[1]) << row * size[1] + column
            for piece, (row, column) in zip(pieces, corners, strict=True)
        )
        if (lifetime(board, *size, steps) is not None) == halts:
            return board
    return None


def _piece(rng: Random, least: int | None, most: int, like: int | None = None) -> int:
    """Return a random piece that dies alone in `least` to `most` steps; 0 if none is found.

    Without `least`, it lives. With `like`, it has as many cells, and looks like it.
    """
    for _ in range(MAX_PIECES):
        cells = rng.randint(*PIECE_CELLS) if like is None else like.bit_count()
        piece = sum(1 << cell for cell in rng.sample(range(PIECE_SIDE**2), cells))
        if like is not None and _look(piece) != _look(like):
            continue
        death = _death(piece)
        if death is None if least is None else death is not None and least <= death <= most:
            return piece
    return 0


@lru_cache(maxsize=1 << 16)
def _look(piece: int) -> tuple[int, int, int]:
    """Return how many pairs of cells stand side by side, are born next, and stay alive."""
    cells = {divmod(cell, PIECE_SIDE) for cell in range(PIECE_SIDE**2) if piece >> cell & 1}
    neighbours = Counter(
        (row + down, column + right)
        for row, column in cells
        for down, right in product((-1, 0, 1), repeat=2)
        if down or right
    )
    beside = sum((row + 1, column) in cells for row, column in cells)
    beside += sum((row, column + 1) in cells for row, column in cells)
    born = sum(number == 3 for cell, number in neighbours.items() if cell not in cells)
    staying = sum(neighbours[cell] in (2, 3) for cell in cells)
    return beside, born, staying


@lru_cache(maxsize=1 << 16)
def _death(piece: int) -> int | None:
    """Return the step at which a piece is dead if it is alone; None if it lives."""
    board = _moved(piece, ALONE_SIDE) << 6 * ALONE_SIDE + 6
    return lifetime(board, ALONE_SIDE, ALONE_SIDE, ALONE_STEPS)


def _moved(piece: int, columns: int) -> int:
    """Return a piece in the upper left corner of a board."""
    mask = (1 << PIECE_SIDE) - 1
    return sum((piece >> row * PIECE_SIDE & mask) << row * columns for row in range(PIECE_SIDE))


def lifetime(board: int, rows: int, columns: int, steps: int) -> int | None:
    """Return the first step of the Game of Life without live cells; None if beyond `steps`.

    The board wraps around.
    """
    size = rows * columns
    everything = (1 << size) - 1
    first = sum(1 << row * columns for row in range(rows))  # the first column
    inner = everything ^ first
    last = first << columns - 1
    before = -1
    for step in range(steps + 1):
        if not board:
            return step
        left = (board & ~last) << 1 | (board & last) >> columns - 1
        right = (board & inner) >> 1 | (board & first) << columns - 1
        # Two bits for the sum of three cells in a row, and for the two without the one in between.
        of_three, twos_of_three = left ^ board ^ right, left & board | right & (left | board)
        ones, twos = left ^ right, left & right
        above = [
            (x << columns | x >> size - columns) & everything for x in (of_three, twos_of_three)
        ]
        below = [
            (x >> columns | x << size - columns) & everything for x in (of_three, twos_of_three)
        ]
        low, carry = _sum(ones, above[0], below[0])
        middle, over = _sum(twos, above[1], below[1])
        # neighbours = low + 2 * (carry + middle) + 4 * over
        two = carry ^ middle
        four = over | carry & middle
        following = two & ~four & (low | board) & everything
        if following in (board, before):  # nothing changes, or every second board is the same
            return None
        before, board = board, following
    return None


def _sum(a: int, b: int, c: int) -> tuple[int, int]:
    """Add three bits in every cell; return the bits of value one and of value two."""
    return a ^ b ^ c, a & b | c & (a | b)


# --- largest_island -----------------------------------------------------------------------------


RIVALS = (2, 3)
"""Islands nearly as large as the largest: at least, and at most."""
GAPS = (1, 1, 1, 2, 2, 3)
"""Cells that the largest of the rivals lacks; others lack up to two more."""
SHAPES = {"straight": (1, -1), "winding": (1, 1), "compact": (-1, 0)}
"""How an island grows: the weights of the neighbours and of the cells ahead of a cell."""
MORE_ISLANDS = 3
"""Islands more than there must be, at most."""
MIN_LAND, MIN_SIDE = 3, 12
"""Ones of the library's grid, at least, and rows and columns of the one that replaces it.

Empty grids would be replaced by the same few, and in a small grid hardly two islands are large.
"""


def largest_island(entry: Entry) -> Entry | None:
    """Replace the grid by one in which the number of ones says nothing about the largest island.

    Some others are nearly as large and have any shape: only counting tells them apart.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    height, width = len(meta["grid"]), len(meta["grid"][0])
    rows, columns = max(MIN_SIDE, height), max(MIN_SIDE, width)
    if sum(map(sum, meta["grid"])) < MIN_LAND:
        return None
    size, ones = meta["difficulty"]["island_size"][1], rows * columns * 2 // 5
    most = min(2 * size - 1, ones // (RIVALS[1] + 1))
    fewest = max(3, min(size * 4 // 5, most - 3))
    largest = rng.randint(fewest, max(fewest, most))
    # As many islands, whatever the largest: else their number would tell their size.
    islands = 2 - (fewest - ones) // (fewest - max(GAPS)) + rng.randint(0, MORE_ISLANDS)
    grid = _islands(rng, rows, columns, largest, ones, islands)
    head, old, tail = entry["question"].partition(_grid_text(meta["grid"]))
    size_before = f"{height} x {width} binary"
    if grid is None or not old or size_before not in head:
        return None
    head = head.replace(size_before, f"{rows} x {columns} binary")
    return with_solution(entry, f"{head}{_grid_text(grid)}{tail}", largest, grid=grid)


def _grid_text(grid: list[list[int]]) -> str:
    return "\n".join(" ".join(map(str, row)) for row in grid)


def _islands(
    rng: Random, rows: int, columns: int, largest: int, ones: int, count: int
) -> list[list[int]] | None:
    """Return a grid with an island of `largest` cells and smaller ones, `ones` in all, if found."""
    for _ in range(2 * MAX_BOARDS):
        land: set[Cell] = set()
        taken: set[Cell] = set()  # land and its neighbours
        for size in _sizes(rng, largest, ones, count):
            island = _grown(rng, rows, columns, size, taken, rng.choice(list(SHAPES)))
            if island is None:
                break
            land |= island
            taken |= island | {near for cell in island for near in _around(cell, rows, columns)}
        else:
            return [[int((r, c) in land) for c in range(columns)] for r in range(rows)]
    return None


def _sizes(rng: Random, largest: int, ones: int, count: int) -> list[int]:
    """Return the sizes of `count` islands; the largest and its rivals come first, in any order.

    What is placed first is most often in the middle.
    """
    rivals, gap = rng.randint(*RIVALS), rng.choice(GAPS)
    sizes, left = [largest], ones - largest
    for after in range(count - 2, -1, -1):  # islands after this one
        most = min(largest - gap, left - after)
        least = most - 2
        if len(sizes) == 1:
            least = most
        elif len(sizes) > rivals:
            least, most = 1, min(most, 2 * left // (after + 1))
        sizes.append(rng.randint(min(max(least, left - after * (largest - gap)), most), most))
        left -= sizes[-1]
    first, rest = sizes[: rivals + 1], sizes[rivals + 1 :]
    rng.shuffle(first)
    return first + sorted(rest, reverse=True)


def _grown(
    rng: Random, rows: int, columns: int, size: int, taken: set[Cell], shape: str
) -> set[Cell] | None:
    """Return a random island of `size` cells that are not taken; None if it does not fit."""
    for _ in range(20):
        start = rng.randrange(rows), rng.randrange(columns)
        if start in taken:
            continue
        island = {start}
        coast = [near for near in _around(start, rows, columns) if near not in taken]
        while coast and len(island) < size:
            places = [rng.randrange(len(coast)) for _ in range(4)]
            cell = coast.pop(min(places, key=lambda place: _rank(coast[place], island, shape)))
            if cell not in island:
                island.add(cell)
                coast += [near for near in _around(cell, rows, columns) if near not in taken]
        if len(island) == size:
            return island
    return None


def _rank(cell: Cell, island: set[Cell], shape: str) -> int:
    """Return a number that is lower for a cell that suits the shape of an island better."""
    row, column = cell
    beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    beyond = [(row - 2, column), (row + 2, column), (row, column - 2), (row, column + 2)]
    ahead = branching = 0
    for near, far in zip(beside, beyond, strict=True):
        if near in island:
            y, x = near
            branching += 1 + sum(
                other in island for other in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1))
            )
            ahead += far in island
    return SHAPES[shape][0] * branching + SHAPES[shape][1] * ahead


def _around(cell: Cell, rows: int, columns: int) -> Iterator[Cell]:
    """Yield the cells above, below and beside a cell."""
    row, column = cell
    if row:
        yield row - 1, column
    if column:
        yield row, column - 1
    if row < rows - 1:
        yield row + 1, column
    if column < columns - 1:
        yield row, column + 1


# --- rotten_oranges -----------------------------------------------------------------------------

IMPOSSIBLE_SHARE = 0.4
"""The share of grids in which some orange stays fresh."""


def rotten_oranges(entry: Entry) -> Entry | None:
    """Put the same numbers of oranges in other places; a coin decides whether all of them rot."""
    rng = random_of(entry)
    matrix = entry["metadata"]["matrix"]
    side = len(matrix)
    cells = sorted(cell for row in matrix for cell in row)
    # An orange in a corner stays fresh beside two empty cells; another one has to be rotten.
    cells[:2], cells[-1] = [0, 0], 2
    wanted_fresh = rng.random() < IMPOSSIBLE_SHARE
    rng.shuffle(cells)
    if 1 not in cells:
        return None
    for _ in range(2 * MAX_BOARDS):
        minutes, fresh = minutes_to_rot(cells, side)
        if bool(fresh) == wanted_fresh:
            break
        if wanted_fresh:
            _isolate(rng, cells, side)
        else:
            _reach(rng, cells, side, fresh)
    else:
        return None
    rows = [cells[start : start + side] for start in range(0, side * side, side)]
    head, old, tail = entry["question"].partition(_grid_text(matrix))
    if not old:
        return None
    question = f"{head}{_grid_text(rows)}{tail}"
    return with_solution(entry, question, -1 if fresh else minutes, matrix=rows)


def minutes_to_rot(cells: list[int], side: int) -> tuple[int, int]:
    """Return the minutes until nothing changes, and the oranges still fresh then, as bits."""
    fresh, rotten = (
        int("".join("01"[cell == kind] for cell in reversed(cells)), 2) for kind in (1, 2)
    )
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
    around = [r * side + c for r, c in _around(divmod(orange, side), side, side)]
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
