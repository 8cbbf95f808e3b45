"""Place 1s whose weights give the sums of rows and columns."""

from collections.abc import Sequence
from random import Random

from rgenv.tasks import Entry, Task, all_or_nothing, moving, question_numbers
from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.boards import Board, spread, transposed
from rgenv.tasks.questions import rows_written
from rgenv.tasks.rewriting import random_of, with_solution

MORE_LINES, MORE_ONES = 3, 0.18
"""Rows and columns, and share of ones, that a board has in addition to what is asked for.

In a smaller board, and of fewer ones, each row has few fillings: the first that fits is right.
"""
EXCHANGES = 200
"""Exchanges of two cells that are tried. More hardly make the sums more alike."""


def correct(entry: Entry) -> Entry | None:
    """Replace the board by a larger one whose sums are nearly alike.

    Where sums differ, to fill one row after the other with the ones that their columns need most
    finds most boards. Other boards may have these sums, and are as right.
    """
    from reasoning_gym.games.kakurasu import PROMPT_TEMPLATES  # another release may lack it

    rng, meta = random_of(entry), entry["metadata"]
    names = ("n_rows", "n_cols", "row_sums", "col_sums")
    old = {name: meta[name] for name in names}
    asked, shown = entry["question"], rows_written(meta["puzzle"])
    form = next(t for t in PROMPT_TEMPLATES if t.format(**old, puzzle=shown) == asked)
    height, width = meta["n_rows"] + MORE_LINES, meta["n_cols"] + MORE_LINES
    share = meta["p_ones"] + MORE_ONES
    board = [[int(rng.random() < share) for _ in range(width)] for _ in range(height)]
    rows, columns = _evened(rng, board)
    empty = [[0] * width for _ in range(height)]
    new = dict(zip(names, (height, width, rows, columns), strict=True))
    question = form.format(**new, puzzle=rows_written(empty))
    changed = with_solution(entry, question, board, **new, puzzle=empty)
    return {**changed, "answer": rows_written(board)}


def weights(rows: Sequence[Sequence[int]]) -> list[int]:
    """Return, for each row, the sum of the positions of its ones, counted from 1."""
    return [sum(x for x, cell in enumerate(row, 1) if cell) for row in rows]


def _evened(rng: Random, board: Board) -> tuple[list[int], list[int]]:
    """Exchange cells as long as the sums come nearer to each other; return them."""
    rows, columns = weights(board), weights(transposed(board))
    best = spread(rows) + spread(columns)
    for _ in range(EXCHANGES):
        y, v = rng.randrange(len(rows)), rng.randrange(len(rows))
        x, u = rng.randrange(len(columns)), rng.randrange(len(columns))
        if board[y][x] and not board[v][u]:
            new_rows, new_columns = rows.copy(), columns.copy()
            new_rows[y] -= x + 1
            new_rows[v] += u + 1
            new_columns[x] -= y + 1
            new_columns[u] += v + 1
            after = spread(new_rows) + spread(new_columns)
            if after <= best:
                board[y][x], board[v][u] = 0, 1
                rows, columns, best = new_rows, new_columns, after
    return rows, columns


TASK = Task(
    answer=Grid("01", cells="[01]"),
    correct=correct,
    verify=all_or_nothing,
    clarify=(("", "Answer with the whole grid of 1s and 0s."),),
    family=question_numbers,
    # The curriculum's falling share of ones makes larger boards easier.
    levels=moving(
        rows=[(4, 5), (4, 5), (4, 5), (5, 5), (6, 6)],
        cols=[(4, 5), (4, 5), (4, 5), (5, 6), (6, 6)],
        p_ones=[0.15, 0.22, 0.3, 0.3, 0.3],
    ),
)
