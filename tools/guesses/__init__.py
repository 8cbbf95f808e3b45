"""Rules that pick one of a few possible answers, so that luck decides whether they are right.

    numeric.py         counts, numbers and angles
    choices.py         fixed answers, names at a place, a part of what decides
    rearranging.py     grids, strings and cubes that are changed in one of a few ways

No problem is drawn again because a guess is right: if two answers are possible, problems on which
a rule fails have the other one. benchmarks/blind.py measures what guesses earn, and each rule here
earns at least 0.05 more than the best constant answer at some level::

    answers("path_star", entry)    # {"the first arm": "1 2 3", "the last arm": "1 4"}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from rgenv.tasks.entry import Entry
from rgenv.worker.shortcuts import MAX_QUESTION, UNREADABLE
from tools.guesses import choices, numeric, rearranging

RULES: Mapping[str, Callable[[str], dict[str, str]]] = MappingProxyType(
    {**numeric.RULES, **choices.RULES, **rearranging.RULES}
)
"""Task -> its guesses: a function from the question to answers by the name of the rule."""


def answers(task: str, entry: Entry) -> dict[str, str]:
    """Return the answer of each guess for a task, by the rule's name; none if it has no guesses."""
    question = str(entry["question"])
    if task not in RULES or len(question) > MAX_QUESTION:
        return {}
    try:
        return RULES[task](question)
    except UNREADABLE:
        return {}
