"""Tell whether a Game of Life dies out in time."""

import re
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

import numpy

from rgenv.tasks import Choice, Entry, Task, changed, moving, obeys, random_of
from rgenv.tasks.boards import MAX_BOARDS, MAX_PIECES, Cell
from rgenv.tasks.symmetries import line_amounts

MARK = "Initial board:\n"


def correct(entry: Entry) -> Entry:
    """Play the board: patterns that are close may kill each other, or live on."""
    return _asking(entry, entry["question"])


def _asking(entry: Entry, question: str) -> Entry:
    """Return an entry with another question, and with what becomes of its board as the answer."""
    made = changed(entry, question, "")
    meta, rows = made["metadata"], _rows(made)
    board = int("".join(rows)[::-1], 2)
    halts = lifetime(board, len(rows), len(rows[0]), meta["simulation_steps"]) is not None
    return changed(made, question, str(halts), should_oscillate=not halts)


def _rows(entry: Entry) -> list[str]:
    """Return the rows of the board; raise ValueError if numpy left out its middle."""
    rows, columns = entry["metadata"]["grid_size_x"], entry["metadata"]["grid_size_y"]
    cells = "".join(re.findall("[01]", entry["question"].split(MARK)[1]))
    if len(cells) != rows * columns:
        raise ValueError("the question does not show the whole board")
    return [cells[i : i + columns] for i in range(0, len(cells), columns)]


PIECE_SIDE, PIECE_CELLS = 4, (4, 8)
"""Side of the square that holds a piece, and the piece's fewest and most live cells."""
ALONE_SIDE, ALONE_STEPS = 16, 40
"""The empty board on which a piece is judged, and the steps for which it is played."""


def harden(entry: Entry) -> Entry | None:
    """Draw other patterns: live cells side by side tell 1.00 of the library's answers, .5 of these.

    All patterns die out, or all but one, which has as many live cells as the one that it replaces.
    """
    rng, meta = random_of(entry), entry["metadata"]
    rows, columns, steps = meta["grid_size_x"], meta["grid_size_y"], meta["simulation_steps"]
    corners = _corners(rng, rows, columns, meta["difficulty"]["num_oscillators"])
    head, _ = entry["question"].split(MARK)
    halts = rng.random() < 0.5
    if not corners or not obeys(entry, difficulty=1):
        return None
    for _ in range(MAX_BOARDS):
        pieces = [_piece(rng, steps) for _ in corners]
        if not halts:
            pieces[0] = _piece(rng, None, pieces[0].bit_count())
        board = sum(
            _moved(piece, columns) << row * columns + column
            for piece, (row, column) in zip(pieces, corners, strict=True)
        )
        cells = [board >> i & 1 for i in range(rows * columns)]
        made = _asking(entry, head + MARK + _written(numpy.reshape(cells, (rows, columns))))
        if made["answer"] == str(halts):
            return made
    return None


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


def _piece(rng: Random, steps: int | None, count: int | None = None) -> int:
    """Return a random piece that dies alone within some steps, or does not; 0 if none is found."""
    for _ in range(MAX_PIECES):
        cells = rng.sample(range(PIECE_SIDE**2), count or rng.randint(*PIECE_CELLS))
        piece = sum(1 << cell for cell in cells)
        death = _death(piece)
        if death is None if steps is None else death is not None and death <= steps:
            return piece
    return 0


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
        for _ in range(1000):
            i, j = below(rows - height - 1), below(columns - width - 1)
            if free[i][j]:
                taken[i : i + height + 2, j : j + width + 2] = True
                board[i + 1 : i + 1 + height, j + 1 : j + 1 + width] = pattern["cells"]
                name = pattern.get("name", "non-oscillator")
                placed.append({"name": name, "position": (i + 1, j + 1)})
                break
    question = (
        "This is a 'Game of Life' grid. We consider a game halted if there are no cells alive.\n"
        f"Will this game halt at or before {config.max_simulation_steps} steps? Assume a Moore "
        "neighborhood and wrapping topology. If it will halt, reply 'True'. If it won't halt, "
        f"reply 'False'.\n\n{MARK}{_written(board)}"
    )
    names = ("grid_size_x", "grid_size_y", "difficulty", "num_oscillators", "max_simulation_steps")
    metadata = {
        "source_dataset": "game_of_life_halting",
        "source_index": idx,
        "grid_size_x": rows,
        "grid_size_y": columns,
        "placed_patterns": placed,
        "simulation_steps": config.max_simulation_steps,
        "should_oscillate": oscillates,
        "difficulty": {name: getattr(config, name) for name in names},
    }
    return {"question": question, "answer": str(not oscillates), "metadata": metadata}


def _written(board: Any) -> str:
    """Return a board as numpy writes it, which breaks longer lines and leaves out large middles."""
    if board.size >= 1000 or board.shape[1] > 36:
        return str(board)
    return str(board.tolist()).replace("], [", "]\n [").replace(",", "")


def family(entry: Entry) -> object:
    """Keep how often symbols are in rows and columns; ignore rotations, mirrors, order of rows and
    columns, other symbols.
    """
    return line_amounts(_rows(entry))


TASK = Task(
    answer=Choice("True", "False"),
    correct=correct,
    harden=harden,
    labels={"True": 0.5, "False": 0.5},
    family=family,
    # From 1,000 cells on, numpy prints dots for most of the board, so a side is at most 31. The
    # number of patterns grows with the board. There are five patterns of difficulty 1, which do
    # not die, three of difficulty 2, and one of difficulty 3.
    levels=moving(
        grid_size_x=[12, 14, 20, 26, 31],
        grid_size_y=[12, 14, 20, 26, 31],
        difficulty=[1],
        num_oscillators=[2, 3, 4, 7, 10],
        max_simulation_steps=[15, 20, 30, 40, 60],
    ),
    accepted={"shortcut": "live cells stand side by side in patterns that live, and in no other"},
    faster={"algorithmic.game_of_life_halting:GameOfLifeHaltingDataset:__getitem__": library_entry},
)
