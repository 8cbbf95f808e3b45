"""Tell whether a Game of Life dies out in time."""

import re
from collections import Counter
from functools import lru_cache
from itertools import product
from random import Random

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
        pieces = [_piece(rng, 1, steps) for _ in corners]
        place = rng.randrange(len(corners))
        dying = _piece(rng, rng.randint(*SLOW_STEPS), steps)
        # Boards that halt have a piece in whose place one could live, too: they look no different.
        living = _piece(rng, None, steps, like=dying)
        if not living or not dying:
            continue
        pieces[place] = dying if halts else living
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
    beside = sum(
        ((row + 1, column) in cells) + ((row, column + 1) in cells) for row, column in cells
    )
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

    The board wraps around. A bit is a cell.
    """
    size = rows * columns
    everything = (1 << size) - 1
    first = sum(1 << row * columns for row in range(rows))  # the first column
    inner, last = everything ^ first, first << columns - 1
    before = -1
    for step in range(steps + 1):
        if not board:
            return step
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
        following = two_or_three & (low | board) & everything
        if following in (board, before):  # nothing changes, or every second board is the same
            return None
        before, board = board, following
    return None


def _sum(a: int, b: int, c: int) -> tuple[int, int]:
    """Add three bits in every cell; return the bits of value one and of value two."""
    return a ^ b ^ c, a & b | c & (a | b)


class QuickRandom(Random):
    """Draws the integers of `Random` without its checks: the library tries many places in vain."""

    def randint(self, a: int, b: int) -> int:
        if b < a:
            raise ValueError(f"empty range in randint({a}, {b})")
        return a + self._randbelow(b - a + 1)  # type: ignore[attr-defined,no-any-return]


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
    faster={"algorithmic.game_of_life_halting:Random": QuickRandom},
)
