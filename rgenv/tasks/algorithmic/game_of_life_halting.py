"""Tell whether a Game of Life dies out in time."""

import re
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

import numpy

from rgenv.tasks import Choice, Entry, Task, changed, exact, moving, random_of
from rgenv.tasks.boards import MAX_BOARDS, MAX_PIECES, Cell
from rgenv.tasks.symmetries import lines_of_grid

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


def correct(entry: Entry) -> Entry | None:
    """Replace the board by pieces that all die out, or by the same but one that does not.

    The library's dying pieces are diagonals, and its living ones are not. Here the piece that lives
    has as many live cells, and as many of them side by side, as the one in whose place it is; as
    many are born and stay alive in the first step. None if numpy left out the middle of the board.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    rows, columns, steps = meta["grid_size_x"], meta["grid_size_y"], meta["simulation_steps"]
    head, marker, text = entry["question"].partition("Initial board:\n")
    if (
        len(meta["placed_patterns"]) < MIN_PATTERNS
        or len(re.findall("[01]", text)) != rows * columns
    ):
        return None
    count = meta["difficulty"]["num_oscillators"]
    corners = max((_corners(rng, rows, columns, count) for _ in range(TRIES)), key=len)
    halts = rng.random() < 0.5
    board = _board_of_pieces(rng, (rows, columns), steps, corners, halts)
    if board is None:
        return None
    cells = iter(range(rows * columns))
    shown = re.sub("[01]", lambda _: str(board >> next(cells) & 1), text)
    question = f"{head}{marker}{shown}"
    return changed(entry, question, str(halts), should_oscillate=not halts, placed_patterns=[])


def _corners(rng: Random, rows: int, columns: int, count: int) -> list[Cell]:
    """Return the upper left corners of squares for pieces, with a dead cell around each."""
    side = PIECE_SIDE
    free = list(product(range(1, rows - side), range(1, columns - side)))
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
        dying = _piece(rng, rng.randint(*SLOW_STEPS), steps)
        # Boards that halt have a piece in whose place one could live, too: they look no different.
        living = dying and _piece(rng, None, steps, like=dying)
        if not living:
            continue
        pieces = [_piece(rng, 1, steps) for _ in corners]
        pieces[rng.randrange(len(corners))] = dying if halts else living
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
        piece = _random_piece(rng, cells)
        if like is not None and _look(piece) != _look(like):
            continue
        death = _death(piece)
        if death is None if least is None else death is not None and least <= death <= most:
            return piece
    return 0


def _random_piece(rng: Random, cells: int) -> int:
    """Draw cells as `rng.sample` does, without its checks."""
    piece, left = 0, [1 << cell for cell in range(PIECE_SIDE**2)]
    below = rng._randbelow  # type: ignore[attr-defined]
    for _ in range(cells):
        place = below(len(left))
        piece |= left[place]
        last = left.pop()
        if place < len(left):
            left[place] = last
    return piece


@lru_cache(maxsize=1 << 16)
def _look(piece: int) -> tuple[int, int, int]:
    """Return how many pairs of cells stand side by side, are born next, and stay alive."""
    side = PIECE_SIDE + 4  # so much that nothing wraps around
    board = _moved(piece, side) << 2 * side + 2
    following = _following(board, side, side)
    beside = (board & board >> 1).bit_count() + (board & board >> side).bit_count()
    return beside, (following & ~board).bit_count(), (following & board).bit_count()


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

    The board wraps around. A bit is a cell.
    """
    before = -1
    for step in range(steps + 1):
        if not board:
            return step
        following = _following(board, rows, columns)
        if following in (board, before):  # nothing changes, or every second board is the same
            return None
        before, board = board, following
    return None


def _following(board: int, rows: int, columns: int) -> int:
    """Return the board after one step."""
    size = rows * columns
    everything = (1 << size) - 1
    first = _first_column(rows, columns)
    inner, last = everything ^ first, first << columns - 1
    left = (board & ~last) << 1 | (board & last) >> columns - 1
    right = (board & inner) >> 1 | (board & first) << columns - 1
    # Two bits for the sum of three cells in a row, and for the two without the one in between.
    three, two = _sum(left, board, right), (left ^ right, left & right)
    above = [(bits << columns | bits >> size - columns) & everything for bits in three]
    below = [(bits >> columns | bits << size - columns) & everything for bits in three]
    low, carry = _sum(two[0], above[0], below[0])
    middle, over = _sum(two[1], above[1], below[1])
    # neighbours = low + 2 * (carry + middle) + 4 * over
    two_or_three = (carry ^ middle) & ~(over | carry & middle)
    return two_or_three & (low | board) & everything


@lru_cache(maxsize=64)
def _first_column(rows: int, columns: int) -> int:
    return sum(1 << row * columns for row in range(rows))


def _sum(a: int, b: int, c: int) -> tuple[int, int]:
    """Add three bits in every cell; return the bits of value one and of value two."""
    return a ^ b ^ c, a & b | c & (a | b)


ATTEMPTS = 1000
"""Places at which the library tries to put a pattern."""


def library_entry(self: Any, idx: int) -> Entry:
    """Return the library's problem, without looking at each cell of each place."""
    config, rng = self.config, Random(self.seed + idx)
    rows, columns = config.grid_size_x, config.grid_size_y
    oscillates = rng.choice([True, False])
    known = [one for one in self.OSCILLATORS if one["difficulty"] == config.difficulty]
    board = numpy.zeros((rows, columns), numpy.int32)
    taken = numpy.zeros((rows, columns), bool)
    placed = []
    below = rng._randbelow  # type: ignore[attr-defined]  # randint without its checks
    for _ in range(config.num_oscillators):
        pattern = rng.choice(known if oscillates else self.NON_OSCILLATORS)
        height, width = pattern["size_y"], pattern["size_x"]
        # Pieces with the cells around them, by their upper left corners.
        squares = numpy.lib.stride_tricks.sliding_window_view(taken, (height + 2, width + 2))
        free: Any = (~squares.any(axis=(2, 3))).tolist()
        vertical, horizontal = rows - height - 1, columns - width - 1
        if vertical == horizontal and not any(map(any, free)):
            _draw_in_vain(rng, 2 * ATTEMPTS, vertical)
            continue
        for _ in range(ATTEMPTS):
            i, j = below(vertical), below(horizontal)
            if free[i][j]:
                taken[i : i + height + 2, j : j + width + 2] = True
                board[i + 1 : i + 1 + height, j + 1 : j + 1 + width] = pattern["cells"]
                name = pattern.get("name", "non-oscillator")
                placed.append({"name": name, "position": (i + 1, j + 1)})
                break
    steps = config.max_simulation_steps
    question = (
        "This is a 'Game of Life' grid. We consider a game halted if there are no cells alive.\n"
        f"Will this game halt at or before {steps} steps? Assume a Moore neighborhood and wrapping "
        "topology. If it will halt, reply 'True'. If it won't halt, reply 'False'.\n\n"
        f"Initial board:\n{_written(board)}"
    )
    names = ("grid_size_x", "grid_size_y", "difficulty", "num_oscillators", "max_simulation_steps")
    metadata = {
        "source_dataset": "game_of_life_halting",
        "source_index": idx,
        "grid_size_x": rows,
        "grid_size_y": columns,
        "placed_patterns": placed,
        "simulation_steps": steps,
        "should_oscillate": oscillates,
        "difficulty": {name: getattr(config, name) for name in names},
    }
    return {"question": question, "answer": str(not oscillates), "metadata": metadata}


def _written(board: Any) -> str:
    """Return a board as numpy writes it, which breaks longer lines and leaves out large middles."""
    if board.size >= 1000 or board.shape[1] > 36:
        return str(board)
    return str(board.tolist()).replace("], [", "]\n [").replace(",", "")


def _draw_in_vain(rng: Random, count: int, below: int) -> None:
    """Leave a generator as after drawing so many integers from 0 to `below` - 1, one by one."""
    shift = 32 - below.bit_length()
    while count:
        words = rng.getrandbits(32 * count).to_bytes(4 * count, "little")
        count -= int((numpy.frombuffer(words, "<u4") >> shift < below).sum())


TASK = Task(
    answer=Choice("True", "False"),
    correct=correct,
    verify=exact,
    labels={"True": 0.5, "False": 0.5},
    family=lines_of_grid,
    # From 1,000 cells on, numpy prints dots for most of the board, so a side is at most 31. The
    # number of patterns grows with the board.
    levels=moving(
        grid_size_x=[12, 14, 20, 26, 31],
        grid_size_y=[12, 14, 20, 26, 31],
        difficulty=[1, 1, 2, 2, 3],
        num_oscillators=[2, 3, 4, 7, 10],
        max_simulation_steps=[15, 20, 30, 40, 60],
    ),
    faster={"algorithmic.game_of_life_halting:GameOfLifeHaltingDataset:__getitem__": library_entry},
)
