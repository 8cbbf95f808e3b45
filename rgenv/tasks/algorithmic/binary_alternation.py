"""Count the swaps that make a string of 0 and 1 alternate."""

from rgenv.tasks import Number, Task, moving
from rgenv.tasks.symmetries import last_string

TASK = Task(
    answer=Number(unit="swaps?"),
    family=last_string,
    # The curriculum starts at or above the default, so easier values are added; its strings of
    # 1,000 bits are long, not deep.
    levels=moving(n=[(8, 22), (18, 28), (28, 42), (42, 60), (60, 90)]),
)
