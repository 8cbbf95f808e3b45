"""Tell whether one string is the other in other letters."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from string import ascii_lowercase

from rgenv.tasks.answers.words import Choice
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Levels, Task
from rgenv.tasks.rewriting import MAX_SWAPS, random_of, with_solution
from rgenv.tasks.symmetries import letter_pattern, part_of
from rgenv.tasks.verifying import exact

SHORTEST = 6
"""Letters of a string."""


def correct(entry: Entry) -> Entry | None:
    """Replace both strings; one swap of letters is all that makes them not isomorphic.

    Whatever the answer, both have the same length and the same numbers of equal letters, of which
    none are next to each other.
    """
    rng = random_of(entry)
    head, old, _ = entry["question"].partition(" ".join(entry["metadata"]["words"]) + "\n")
    first, isomorphic, other = _strings(rng, max(SHORTEST, entry["metadata"]["string_length"]))
    if other is None or not old:
        return None
    solvable = rng.random() < 0.5
    words = ["".join(first), "".join(isomorphic if solvable else other)]
    question = f"{head}{' '.join(words)}\n"
    return with_solution(entry, question, solvable, words=words, solvable=solvable)


def _strings(rng: Random, length: int) -> tuple[list[str], list[str], list[str] | None]:
    """Return a string, an isomorphic one, and that one after a swap, None if no swap was found."""
    letters = rng.sample(ascii_lowercase, rng.randint(3, max(3, min(26, length * 2 // 3))))
    # Most often a swap that changes the pattern is found here: a b a c, a b c a.
    first = [letters[0], letters[1], letters[0], letters[2]]
    while len(first) < length:
        first.append(rng.choice([letter for letter in letters if letter != first[-1]]))
    first = first[:: rng.choice((1, -1))]
    image = dict(zip(letters, rng.sample(ascii_lowercase, len(letters)), strict=True))
    second = [image[letter] for letter in first]
    for _ in range(MAX_SWAPS):
        swapped = second.copy()
        i, j = rng.sample(range(length), 2)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        has_double_letter = any(one == other for one, other in pairwise(swapped))
        if not has_double_letter and not is_isomorphic(first, swapped):
            return first, second, swapped
    return first, second, None


def is_isomorphic(first: list[str], second: list[str]) -> bool:
    """Return whether replacing letters one to one turns one list of letters into the other."""
    return len(set(zip(first, second, strict=True))) == len(set(first)) == len(set(second))


def family(entry: Entry) -> object:
    """Keep the pattern of each string; ignore letters, order of the strings, reading backwards."""
    return sorted(map(letter_pattern, part_of(r"^(\w+ \w+)$", entry).split()))


TASK = Task(
    answer=Choice("True", "False"),
    correct=correct,
    verify=exact,
    labels={"True": 0.5, "False": 0.5},
    family=family,
    # The curriculum starts at or above the default, so easier values are added; its strings of
    # 1,000 letters have no more pairs to remember than those of 60.
    levels=Levels(
        knots={"min_string_length": [5, 8, 13, 20, 32], "max_string_length": [7, 12, 19, 31, 60]}
    ),
)
