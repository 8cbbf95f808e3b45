"""Add and subtract whole numbers."""

from rgenv.tasks import Number, Task, moving, question_numbers

TASK = Task(
    answer=Number(),
    family=question_numbers,
    # With two or three terms, the sum of all is right too often, whatever the signs.
    levels=moving(
        terms=[(4, 4), (5, 6), (7, 8), (9, 10), (12, 12)],
        digits=[(1, 1), (2, 2), (2, 3), (3, 4), (4, 5)],
    ),
)
