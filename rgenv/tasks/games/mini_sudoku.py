"""Solve a Sudoku of four by four."""

from collections.abc import Sequence
from functools import cache
from itertools import chain, permutations, product
from operator import itemgetter

from rgenv.tasks import Answers, Entry, Task, changed, moving, obeys, random_of, replaced
from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.boards import filled_blanks
from rgenv.tasks.questions import rows_written
from rgenv.tasks.symmetries import lines_of_grid

LEAST_EMPTY, MAX_PUZZLES = 10, 200
"""The fewest empty cells, where they are allowed, and choices of cells that are tried."""


def harden(entry: Entry) -> Entry | None:
    """Ask puzzles that need their boxes: without, .62 of the library's are solved, .00 of these.

    Another board with these digits has right rows and columns, but wrong boxes.
    """
    rng, meta = random_of(entry), entry["metadata"]
    board, empty = tuple(chain(*meta["solution"])), meta["num_empty"]
    empty = max(empty, LEAST_EMPTY) if obeys(entry, empty=LEAST_EMPTY) else empty
    for _ in range(MAX_PUZZLES):
        places = rng.sample(range(16), 16 - empty)
        clues = itemgetter(*places)
        alike = [other for other in _boards() if clues(other) == clues(board)]
        if len(alike) > 1 and sum(map(_has_boxes, alike)) == 1:
            cells = [digit if place in places else 0 for place, digit in enumerate(board)]
            puzzle = [cells[i : i + 4] for i in (0, 4, 8, 12)]
            old, new = (rows_written(each).replace("0", "_") for each in (meta["puzzle"], puzzle))
            question = replaced(entry["question"], old, new)
            return changed(entry, question, entry["answer"], puzzle=puzzle, num_empty=empty)
    return None


@cache
def _boards() -> list[tuple[int, ...]]:
    """Return the boards whose rows and columns are right."""
    boards: list[tuple[int, ...]] = [()]
    for _ in range(4):
        boards = [
            (*board, *row)
            for board in boards
            for row in permutations(range(1, 5))
            if all(digit != row[i % 4] for i, digit in enumerate(board))
        ]
    return boards


@cache
def _has_boxes(board: tuple[int, ...]) -> bool:
    return all(len({*board[i : i + 2], *board[i + 4 : i + 6]}) == 4 for i in (0, 2, 8, 10))


def shortcuts(question: str) -> Answers:
    """Put the first digit that fits into each blank, or the last one."""
    lines = [line.split() for line in question.split("\n")]
    rows = [row for row in lines if "_" in row or (row[1:] and all(map(_is_digit, row)))]
    rows = [row for row in rows if len(row) == len(rows[-1])]
    if len(rows) != 4:
        return {}
    return {
        "the first digit that fits": rows_written(_first_fit(rows, "1234")),  # .43
        "the last digit that fits": rows_written(_first_fit(rows, "4321")),  # .46
    }


def _is_digit(cell: str) -> bool:
    return len(cell) == 1 and cell.isdigit()


def _first_fit(rows: Sequence[Sequence[str]], digits: str) -> list[list[str]]:
    """Fill each blank with the first of `digits` that its row, column and box lack."""
    filled = [list(row) for row in rows]
    for y, x in product(range(4), range(len(rows[0]))):
        if filled[y][x] == "_":
            top, left = y // 2 * 2, x // 2 * 2
            box = chain(*(row[left : left + 2] for row in filled[top : top + 2]))
            seen = {*filled[y], *(row[x] for row in filled), *box}
            filled[y][x] = next((digit for digit in digits if digit not in seen), "_")
    return filled


def work(entry: Entry) -> float:
    """Count the digits that row, column and box leave open, over all empty cells."""
    puzzle, open_digits = entry["metadata"]["puzzle"], 0
    for r, row in enumerate(puzzle):
        for c in [c for c, digit in enumerate(row) if not digit]:
            top, left = r // 2 * 2, c // 2 * 2
            box = (digit for rows in puzzle[top : top + 2] for digit in rows[left : left + 2])
            open_digits += 4 - len({*row, *(rows[c] for rows in puzzle), *box} - {0})
    return float(open_digits)


TASK = Task(
    answer=Grid(),
    harden=harden,
    verify=filled_blanks,
    shortcuts=shortcuts,
    family=lines_of_grid,
    salt=194,
    work=work,
    # With fewer than 10 empty cells, the first digit that fits is right in most boards. Cells
    # alone differ little from there, so problems are also chosen by the digits that are
    # possible. Boards are small: rows and columns without boxes leave one digit for each cell in
    # .63 at the defaults and in .09 at level 1.
    levels=moving(
        empty=[(10, 10), (10, 11), (11, 11), (11, 12), (12, 12)],
        work=[(12, 18), (16, 20), (18, 22), (21, 25), (24, 36)],
    ),
)
