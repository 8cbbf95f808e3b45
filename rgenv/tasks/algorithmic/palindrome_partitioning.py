"""Cut a string into palindromes, in every way."""

import json
import random

from rgenv.tasks import Answers, Forms, Task, by_library, moving
from rgenv.tasks.answers.grids import Groups
from rgenv.tasks.questions import compact_json, tail
from rgenv.tasks.symmetries import last_string


class Partitions(Groups):
    """All the ways to divide a word."""

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        value = json.loads(reference)
        changes = {
            "left out": value[:-1],
            "added": [*value, ["q", *value[0]]],
            "changed": [[*value[0], "q"], *value[1:]],
        }
        return {name: json.dumps(changed) for name, changed in changes.items()}


MAX_LETTERS = 3000
"""Letters of a string that are read."""


def shortcuts(question: str) -> Answers:
    """Cut into single letters, and besides with the first palindrome of three in one piece."""
    text = tail(question)[:MAX_LETTERS]
    triples = [n for n in range(len(text) - 2) if text[n] == text[n + 2]]
    ways = [[*text[:n], text[n : n + 3], *text[n + 3 :]] for n in triples[:1]]
    return {"single letters and one triple": compact_json(sorted([list(text), *ways]))}  # .14


TASK = Task(
    answer=Partitions(),
    verify=by_library,
    clarify=(("", "Answer with all possible partitions."),),
    shortcuts=shortcuts,
    family=last_string,
    # Strings of fewer than four letters have one partition; the last lengths keep within the
    # length budget.
    levels=moving(
        string_len=[(4, 6), (7, 8), (9, 11), (11, 13), (14, 15)],
        substring_palindrome_len=[(2, 3), (2, 3), (3, 4), (3, 4), (3, 5)],
    ),
)
