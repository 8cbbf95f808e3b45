"""Change a word into another, a letter at a time."""

from __future__ import annotations

import random
import re
from itertools import pairwise

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.lists import joined_items, separated_forms
from rgenv.tasks.answers.lists import word as word_
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Answers, Levels, LibraryVerifier, Task
from rgenv.tasks.symmetries import words_after
from rgenv.tasks.verifying import MAX_TEXT
from rgenv.tasks.word_lists import is_word


class Ladder(Answer):
    """Words of any case in any form of a list."""

    name = "list"

    def read(self, text: str, entry: Entry) -> str | None:
        found = joined_items(text, word_, ",")
        return found and found.upper()

    def forms(self, reference: str, question: str) -> Forms:
        return separated_forms(reference, arrows=True)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        steps = reference.split(",")
        changes = {"no last word": ",".join(steps[:-1]), "no first word": ",".join(steps[1:])}
        if len(steps) > 2:
            place = rng.randrange(1, len(steps) - 1)
            changes["left out"] = ",".join(steps[:place] + steps[place + 1 :])
            changes["no word"] = ",".join([steps[0], "XQZJVXQZJV"[: len(steps[0])], *steps[2:]])
        return changes

    def may_be_right(self, text: str, question: str) -> bool:
        """A shorter ladder may be right as long as each step changes one letter."""
        steps = text.split(",")
        if [steps[0], steps[-1]] != re.findall(r"'([A-Z]+)'", question)[:2]:
            return False
        return all(
            sum(a != b for a, b in zip(one, other, strict=True)) == 1
            for one, other in pairwise(steps)
        )


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for any ladder of words, of any length, from the first word to the last.

    The library knows half of the words of five letters, and gives 0.5 to a ladder with one letter
    sequence that is no word.
    """
    words = answer[:MAX_TEXT].upper().split(",")
    ends = entry["metadata"]["start_word"], entry["metadata"]["end_word"]
    if len(words) < 2 or (words[0], words[-1]) != ends:
        return 0.0
    one_letter_each = all(
        len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1
        for a, b in pairwise(words)
    )
    return float(one_letter_each and all(word in ends or is_word(word) for word in words))


def shortcuts(question: str) -> Answers:
    """Change the letters one after another, from either end, whether or not they make words."""
    start, end = re.findall(r"'(\w+)'", question)[:2]
    places = [place for place, letter in enumerate(end) if start[place] != letter]
    answers = {}
    for name, order in (  # .67 .63
        ("left to right", places),
        ("right to left", places[::-1]),
    ):
        word, path = start, [start]
        for place in order:
            word = word[:place] + end[place] + word[place + 1 :]
            path.append(word)
        answers[f"change {name}"] = ",".join(path)
    return answers


TASK = Task(
    answer=Ladder(),
    verify=verify,
    clarify=(("", "Begin with the first word and end with the last one."),),
    shortcuts=shortcuts,
    several_answers=True,
    family=words_after(r"word ladder ('\w+' to '\w+')"),
    slow=True,
    # The curriculum moves the length of words only; the chain between them is what takes steps.
    levels=Levels(
        knots={
            "min_word_length": [3, 3, 4, 4, 4],
            "max_word_length": [4, 4, 4, 4, 5],
            "min_chain_length": [3, 5, 6, 8, 9],
            "max_chain_length": [4, 5, 7, 8, 12],
        }
    ),
    prepared=("min_word_length", "max_word_length"),
)
