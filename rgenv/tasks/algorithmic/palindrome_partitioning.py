"""Cut a string into palindromes, in every way."""

import json
import math
import random
from string import ascii_lowercase

from rgenv.tasks import Entry, Forms, Task, by_library, changed, moving, random_of, replaced
from rgenv.tasks.answers.grids import Groups
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


ROOM, LONG = 9, 7
"""Letters of the shortest string with room for a long palindrome that others overlap, and of the
shortest long palindrome."""
MOST_WAYS = 40
MAX_TRIES = 200
"""Strings that are tried. Of 15 letters, one in three has few enough ways; of 40, hardly any."""
LETTER_SHARE = 0.4
"""The share of palindromes whose centre follows another letter."""


def correct(entry: Entry) -> Entry:
    """Write a string whose palindromes overlap, and one of which is long.

    The library joins short palindromes, so it is enough to cut each of them on its own, or to look
    for pieces of at most four letters.
    """
    rng, meta = random_of(entry), entry["metadata"]
    most = meta["difficulty"]["string_len"][1]
    for _ in range(MAX_TRIES):
        length = (
            rng.randint(ROOM, most) if meta["string_len"] < ROOM <= most else meta["string_len"]
        )
        text = _overlapping(rng, length)
        if ways := partitions(None, text, MOST_WAYS):
            break
    else:
        return entry
    question = replaced(entry["question"], f": {meta['string']}", f": {text}")
    new = {"string": text, "string_len": length, "solution": ways}
    return changed(entry, question, json.dumps(ways), **new)


def _overlapping(rng: random.Random, length: int) -> str:
    """Return a palindrome, continued by mirroring its end, at once or behind another letter.

    Palindromes of odd and even length alternate. The end is as good as the beginning.
    """
    letters = rng.sample(ascii_lowercase, length)
    least = LONG if length >= ROOM else 2
    first = rng.randint(least, max(least, length - 1))
    text, odd = "".join(rng.choices(letters, k=(first + 1) // 2)), first % 2
    text += text[::-1][odd:]
    while len(text) < length:
        odd = not odd
        if len(text) < length - 1 and rng.random() < LETTER_SHARE:
            text += rng.choice(letters)
        text += text[::-1][odd : odd + rng.randint(2, 3)]
    text = text[:length]
    return text if rng.random() < 0.5 else text[::-1]


def partitions(_: object, text: str, most: float = math.inf) -> list[list[str]]:
    """Return the ways to cut a string into palindromes, in the library's order; none if they are
    more than `most`.
    """
    ways: list[list[list[str]]] = [[[]]]
    for start in reversed(range(len(text))):
        found = []
        for end in range(start + 1, len(text) + 1):
            if text[start] == text[end - 1] and (piece := text[start:end]) == piece[::-1]:
                found += [[piece, *rest] for rest in ways[len(text) - end]]
        if len(found) > most:
            return []
        ways.append(found)
    return ways[-1] if text else []


TASK = Task(
    answer=Partitions(),
    correct=correct,
    verify=by_library,
    clarify=(("", "Answer with all possible partitions."),),
    family=last_string,
    # Strings of fewer than four letters have one partition; the last lengths keep within the
    # length budget. The library's own string, which is not asked, has palindromes of one letter.
    levels=moving(
        string_len=[(5, 7), (7, 8), (9, 11), (11, 13), (13, 15)],
        substring_palindrome_len=[(1, 1)],
    ),
    faster={
        "algorithmic.palindrome_partitioning:PalindromePartitioningDataset"
        ":_palindrome_partitioning": partitions
    },
)
