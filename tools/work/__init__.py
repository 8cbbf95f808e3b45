"""How much work a problem takes: a measure for each task, from the entry.

    numbers.py    operations, divisions, digits, terms, and the steps of calendar and clock
    boards.py     cells, values that are possible, moves, and rounds of a search
    words.py      letters, comparisons, rules to apply, what is tried first

Example::

    work("gcd", entry)    # 7.0: divisions of Euclid's algorithm

A measure counts what a person or a solver does: moves, operations, unknowns, depth, nodes of a
search. It never counts the length of the text, nor the size of numbers alone. Its unit is its own,
so only problems of one task can be compared. Tests show that its mean rises with the level. Where
it decides which problems are asked, it stands in the record of the task (`Task.work`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rgenv.task_names import KNOWN_TASKS
from rgenv.tasks.entry import Entry
from rgenv.tasks.registry import records
from tools.work import boards, numbers, words

Measure = Callable[[Entry], float]
"""Returns the work of a problem, at least 0. It may raise on an entry in an unknown form."""

WORK: Mapping[str, Measure] = {
    **{
        name: function
        for module in (numbers, boards, words)
        for name, function in vars(module).items()
        if name in KNOWN_TASKS
    },
    **{task: record.work for task, record in records().items() if record.work is not None},
}
"""Task -> the function of its name, or that of its record."""


def work(task: str, entry: Entry) -> float | None:
    """Return the work that a problem takes; None if that is unknown."""
    measure = WORK.get(task)
    if measure is None:
        return None
    try:
        amount = float(measure(entry))
    except Exception:  # a question in a form unknown to the measure; any parsing step may fail
        return None
    return amount if amount >= 0 else None
