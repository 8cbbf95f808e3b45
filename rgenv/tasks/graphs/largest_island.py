"""Find the size of the largest island in a grid."""

from rgenv.tasks import Answers, Number, Task, moving
from rgenv.tasks.symmetries import turned_grid


def shortcuts(question: str) -> Answers:
    """Count the land, as if there were one island."""
    grid = question.split("binary matrix grid:\n", 1)[1].split("\n\n", 1)[0]
    return {"all land": str(grid.count("1"))}  # .66


TASK = Task(
    answer=Number(unit="cells?"),
    shortcuts=shortcuts,
    family=turned_grid,
    # Islands grow in number and size with the grid; at 75 rows the grid is mostly empty.
    levels=moving(
        rows=[(5, 7), (7, 9), (10, 13), (14, 18), (18, 24)],
        cols=[(5, 7), (7, 9), (10, 13), (14, 18), (18, 24)],
        num_islands=[(2, 4), (3, 5), (5, 8), (8, 12), (12, 18)],
        island_size=[(1, 7), (3, 10), (5, 13), (7, 16), (9, 20)],
    ),
)
