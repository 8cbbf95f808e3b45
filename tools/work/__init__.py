"""How much work a problem takes, for tasks where the parameters of a level do not say it.

A measure counts what a person or a solver does: moves, operations, unknowns, depth, nodes of a
search. It never counts the length of the text, nor the size of numbers alone. Its unit is its own,
so only problems of one task can be compared. A test shows that its mean rises with the level. Where
it decides which problems are asked, it stands in the record of the task (`Task.work`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rgenv.task_names import KNOWN_TASKS
from rgenv.tasks.entry import Entry
from tools.work import boards, numbers, words

WORK: Mapping[str, Callable[[Entry], float]] = {
    name: function
    for module in (numbers, boards, words)
    for name, function in vars(module).items()
    if name in KNOWN_TASKS
}
"""Task -> the function of its name."""
