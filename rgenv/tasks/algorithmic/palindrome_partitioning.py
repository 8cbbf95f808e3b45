"""Cut a string into palindromes, in every way."""

from __future__ import annotations

import json
import random
from itertools import islice

from rgenv.tasks.answers.grids import Groups
from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import compact_json, tail
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.symmetries import letter_pattern, part_of


class Partitions(Groups):
    """All the ways to divide a word."""

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        value = json.loads(reference)
        return {
            "left out": json.dumps(value[:-1]),
            "added": json.dumps([*value, ["q", *value[0]]]),
            "changed": json.dumps([[*value[0], "q"], *value[1:]]),
        }


MAX_LETTERS = 3000
"""Rules that try letters one by one leave longer strings alone."""


def shortcuts(question: str) -> Answers:
    """Cut into single letters, and besides with the first palindrome of three in one piece."""
    text = tail(question)[:MAX_LETTERS]
    ways = [list(text)]
    places = (n for n in range(len(text) - 2) if text[n] == text[n + 2])
    for n in islice(places, 1):
        ways.append([*text[:n], text[n : n + 3], *text[n + 3 :]])
    return {"single letters and one triple": compact_json(sorted(ways))}  # .14


def family(entry: Entry) -> object:
    """Keep the pattern of the string; ignore letters, reading backwards."""
    return letter_pattern(part_of(r": (\w+)\s*\Z", entry))


TASK = Task(
    answer=Partitions(),
    clarify=(("", "Answer with all possible partitions."),),
    shortcuts=shortcuts,
    family=family,
    # Strings of fewer than four letters have one partition; the last lengths keep within the
    # length budget.
    levels=Levels(
        knots={
            "min_string_len": [4, 7, 9, 11, 14],
            "max_string_len": [6, 8, 11, 13, 15],
            "min_substring_palindrome_len": [2, 2, 3, 3, 3],
            "max_substring_palindrome_len": [3, 3, 4, 4, 5],
        }
    ),
)
