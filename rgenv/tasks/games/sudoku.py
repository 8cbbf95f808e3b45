"""Solve a Sudoku of nine by nine."""

from rgenv.tasks import Levels, Task, spans
from rgenv.tasks.answers.grids import Grid
from rgenv.tasks.boards import filled_blanks, first_digits_that_fit
from rgenv.tasks.symmetries import lines_of_grid

TASK = Task(
    answer=Grid("123456789"),
    verify=filled_blanks,
    shortcuts=first_digits_that_fit,
    family=lines_of_grid,
    slow=True,
    # Boards and answers have a fixed size; only the number of empty cells grows. With more than
    # 55 of them, a few boards take seconds.
    levels=Levels(knots=spans(empty=[(20, 26), (28, 35), (36, 42), (43, 49), (50, 55)])),
)
