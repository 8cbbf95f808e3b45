"""Place 1s whose weights give the sums of rows and columns."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations

from rgenv.tasks import Entry, Task, all_or_nothing, changed, moving, question_numbers, random_of
from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.boards import transposed
from rgenv.tasks.questions import rows_written
from rgenv.tasks.rewriting import obeys

LEAST, MAX_BOARDS = 5, 1000
"""The fewest rows and columns, where they are allowed, and boards to draw. One pass solves nearly
all boards with four rows."""


def harden(entry: Entry) -> Entry | None:
    """Draw boards on which one pass fails: it solves .95 of the library's, .02 of these.

    It fills the heaviest row or column first, where the other sums miss most. Other boards may have
    the sums of this one, and are as right.
    """
    from reasoning_gym.games.kakurasu import PROMPT_TEMPLATES  # another release may lack it

    rng, meta = random_of(entry), entry["metadata"]
    height, width = meta["n_rows"], meta["n_cols"]
    height = max(height, LEAST) if obeys(entry, rows=LEAST) else height
    width = max(width, LEAST) if obeys(entry, cols=LEAST) else width
    for _ in range(MAX_BOARDS):
        board = [[int(rng.random() < meta["p_ones"]) for _ in range(width)] for _ in range(height)]
        rows, columns = ([_weight(line) for line in lines] for lines in (board, transposed(board)))
        if all(rows + columns) and not (_one_pass(rows, columns) or _one_pass(columns, rows)):
            break
    else:
        return None
    new = {"n_rows": height, "n_cols": width, "row_sums": rows, "col_sums": columns}
    old, empty = {name: meta[name] for name in new}, [[0] * width for _ in range(height)]
    shown = rows_written(meta["puzzle"])
    form = next(t for t in PROMPT_TEMPLATES if t.format(**old, puzzle=shown) == entry["question"])
    question = form.format(**new, puzzle=rows_written(empty))
    return changed(entry, question, rows_written(board), solution=board, puzzle=empty, **new)


def _weight(line: Sequence[int]) -> int:
    return sum(place for place, cell in enumerate(line, 1) if cell)


def _one_pass(rows: Sequence[int], columns: Sequence[int]) -> bool:
    """Return whether one pass finds a board with these sums."""
    missing = list(columns)
    for weight in range(len(rows), 0, -1):
        choices = _choices(len(columns), rows[weight - 1])
        fitting = (ones for ones in choices if all(missing[x] >= weight for x in ones))
        for x in max(fitting, key=lambda ones: sum(missing[x] for x in ones), default=()):
            missing[x] -= weight
    return not any(missing)


@cache
def _choices(width: int, total: int) -> Sequence[tuple[int, ...]]:
    """Return the sets of places in a row that give a sum."""
    found = (ones for n in range(width + 1) for ones in combinations(range(width), n))
    return [ones for ones in found if sum(ones) + len(ones) == total]


TASK = Task(
    answer=Grid("01", cells="[01]"),
    harden=harden,
    verify=all_or_nothing,
    clarify=(("", "Answer with the whole grid of 1s and 0s."),),
    family=question_numbers,
    # To fill row by row where columns need most, without turning back, is right in .96 at the
    # defaults and in .58 at level 1: it is the first branch of a search, so no shortcut. The
    # largest weights of each row, whatever the columns, are right in .24 and .00.
    # The curriculum's falling share of ones makes larger boards easier. From 8 rows and columns on,
    # a board takes the library tenths of a second.
    levels=moving(
        rows=[(4, 5), (5, 5), (5, 6), (6, 6), (7, 7)],
        cols=[(4, 5), (5, 5), (5, 6), (6, 6), (7, 7)],
        p_ones=[0.3],
    ),
)
