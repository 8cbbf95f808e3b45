"""Rules that pick one of a few possible answers, so that luck decides whether they are right.

    numeric.py         counts, numbers and angles
    choices.py         fixed answers, names at a place, a part of what decides
    rearranging.py     grids, strings and cubes that are changed in one of a few ways
    any_question.py    rules for any question: parts of its text, arithmetic with its numbers

No problem is drawn again because a guess is right: if two answers are possible, problems on which
a rule fails have the other one. benchmarks/blind.py measures what guesses earn, and each rule here
earns at least 0.05 more than the best constant answer at some level::

    answers("path_star", entry)    # {"the first arm": "1 2 3", "the last arm": "1 4"}

Not here: rules because of which other problems are drawn (rgenv/worker/shortcuts).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from rgenv.tasks.entry import Entry
from rgenv.worker.shortcuts import MAX_QUESTION, UNREADABLE
from tools.guesses import any_question, choices, numeric, rearranging

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


def generic_answers(task: str, entry: Entry) -> dict[str, str]:
    """Return the answer of each rule for any question, by the rule's name.

    Rules that do what the task asks for are left out.
    """
    question = str(entry["question"])
    if len(question) > MAX_QUESTION:
        return {}
    found = any_question.answers(question)
    solutions = any_question.SOLUTIONS
    return {rule: text for rule, text in found.items() if (task, rule) not in solutions}
