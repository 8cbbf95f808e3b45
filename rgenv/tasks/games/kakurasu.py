"""Place 1s whose weights give the sums of rows and columns."""

from rgenv.tasks import Task, all_or_nothing, moving, question_numbers
from rgenv.tasks.answers.grids import Grid

TASK = Task(
    answer=Grid("01", cells="[01]"),
    also_right="any grid with the sums",
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
