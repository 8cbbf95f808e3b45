"""Count the minutes until all oranges in a grid are rotten."""

from rgenv.tasks import Answers, Number, Task, moving
from rgenv.tasks.questions import last_grid
from rgenv.tasks.symmetries import turned_grid


def shortcuts(question: str) -> Answers:
    """Measure the distance as if no cell were empty."""
    farthest = _farthest(last_grid(question))
    return {
        "the largest distance as if no cell were empty": str(farthest),  # .36
        "the largest distance as if no cell were empty, and one": str(farthest + 1),  # .25 then
    }


def _farthest(rows: list[list[str]]) -> int:
    """Return the largest number of steps from a fresh orange to the nearest rotten one."""
    side = len(rows)
    steps = [[0 if cell == "2" else 2 * side for cell in row] for row in rows]
    for ahead in (1, -1):  # once from the upper left, once from the lower right
        for y in range(side)[::ahead]:
            for x in range(side)[::ahead]:
                above = steps[y - ahead][x] if 0 <= y - ahead < side else 2 * side
                beside = steps[y][x - ahead] if 0 <= x - ahead < side else 2 * side
                steps[y][x] = min(steps[y][x], above + 1, beside + 1)
    return max(steps[y][x] for y in range(side) for x in range(side) if rows[y][x] == "1")


TASK = Task(
    answer=Number(unit="minutes?"),
    labels={"-1": 0.4},
    shortcuts=shortcuts,
    # Else a minute or two more than the distance would nearly always be right.
    kept={
        "the largest distance as if no cell were empty": 0.35,
        "the largest distance as if no cell were empty, and one": 0.6,
    },
    family=turned_grid,
    # The more cells are empty, the later oranges rot, but in a large grid one stays fresh then.
    levels=moving(
        n=[(4, 6), (6, 8), (9, 12), (13, 17), (18, 24)],
        p_oranges=[0.75, 0.8, 0.83, 0.85, 0.87],
        p_rotten=[0.12, 0.08, 0.04, 0.02, 0.01],
    ),
)
