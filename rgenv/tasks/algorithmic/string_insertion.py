"""Insert letters after patterns in a string."""

from __future__ import annotations

import re

from rgenv.tasks.answers.texts import Text
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import tail
from rgenv.tasks.record import Levels, Task
from rgenv.tasks.rewriting import random_of, with_solution
from rgenv.tasks.safe_parse import literal
from rgenv.tasks.symmetries import last_string

PATTERNS = ("ABCD", "BCDE", "CDEA", "DEAB", "EABC")
"""Where a string has one of these, its first letter is inserted behind it."""
UNCHANGED_SHARE = 0.05
"""The share of strings in which nothing is inserted."""


def correct(entry: Entry) -> Entry | None:
    """Write a pattern into a string that has none, at any place, so that a letter is inserted.

    Nineteen in twenty of the library's strings have none, so that copying them is right.
    """
    rng = random_of(entry)
    string = entry["metadata"]["string"]
    if inserted(string) != string or rng.random() < UNCHANGED_SHARE:
        return entry
    pattern = rng.choice(PATTERNS)
    start = rng.randint(0, len(string) - len(pattern))
    changed = string[:start] + pattern + string[start + len(pattern) :]
    question = entry["question"].replace(f": {string}\n", f": {changed}\n")
    if question == entry["question"]:
        return None
    return with_solution(entry, question, inserted(changed), string=changed)


def inserted(string: str) -> str:
    """Return a string with a letter behind each pattern, found from left to right."""
    return re.sub("|".join(PATTERNS), lambda found: found[0] + found[0][0], string)


def insertions(entry: Entry) -> float:
    return float(len(entry["answer"]) - len(entry["metadata"]["string"]))


TASK = Task(
    answer=Text(),
    correct=correct,
    guarded={"eval": literal},
    shortcuts=lambda question: {"copy the string": tail(question)},  # .05
    family=last_string,
    work=insertions,
    # A random string has an insertion about every 180 letters. So strings are longer, and
    # problems are chosen by their insertions.
    levels=Levels(
        knots={
            "min_string_length": [50, 100, 160, 240, 340],
            "max_string_length": [70, 140, 210, 300, 420],
        },
        work=[(1, 1), (1, 2), (2, 3), (3, 4), (4, 12)],
    ),
)
