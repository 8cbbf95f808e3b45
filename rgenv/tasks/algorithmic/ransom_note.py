"""Tell whether a note can be cut from a magazine's letters."""

from collections import Counter
from random import Random
from string import ascii_lowercase

from rgenv.tasks.answers.words import Choice
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Levels, Task
from rgenv.tasks.rewriting import random_of, with_solution
from rgenv.tasks.symmetries import part_of
from rgenv.tasks.verifying import exact

SHORTEST_NOTE = 62
"""Letters. In a shorter note, to count a few of its letters would be much of the work."""
MIN_KINDS, MAX_KINDS = 22, 24
"""Different letters of a note. It lacks some, which fill the magazine."""
ONCE = 7
"""Letters that a note has once."""
MAX_SPARE = 5
"""Letters of the note of which the magazine has one too many, at most."""


def correct(entry: Entry) -> Entry:
    """Replace both strings; if the answer is False, one letter of the note is missing once.

    First, two letters are chosen of which the note has n + 1 and n. So has the magazine, or if the
    answer is False, n and n + 1. So the numbers of the note tell nothing without those of the
    magazine, whatever the answer. In the library's notes the missing letter is a frequent one, or
    missing altogether.
    """
    head, _ = entry["question"].split("Ransom note: ")
    rng = random_of(entry)
    meta = entry["metadata"]
    letters = rng.sample(ascii_lowercase, rng.randint(MIN_KINDS, MAX_KINDS))
    note = _letter_counts(letters, max(SHORTEST_NOTE, meta["note_length"]))
    # Of the letters that the note has once, only one can be missing: that is easily found.
    scarce = rng.choice(letters[ONCE - 1 :])
    plenty = rng.choice([letter for letter in letters if letter != scarce])
    note[plenty] = note[scarce] - 1
    rest = [letter for letter in letters if letter not in (scarce, plenty)]
    magazine = note + Counter(rng.sample(rest, rng.randint(1, MAX_SPARE)))
    if entry["answer"] == "False":
        magazine[scarce], magazine[plenty] = magazine[plenty], magazine[scarce]
    length = max(3 * note.total() // 2, meta["magazine_length"])
    others = [letter for letter in ascii_lowercase if letter not in letters]
    magazine.update(rng.choices(others, k=max(0, length - magazine.total())))
    words = {"ransom_note": _shuffled(rng, note), "magazine": _shuffled(rng, magazine)}
    solvable = can_be_written(**words)
    return with_solution(
        entry,
        f"{head}Ransom note: {words['ransom_note']}\nMagazine: {words['magazine']}\n",
        solvable,
        **words,
        solvable=solvable,
        note_length=note.total(),
        magazine_length=magazine.total(),
    )


def _letter_counts(letters: list[str], length: int) -> Counter[str]:
    """Return how often each letter of a note of about `length` letters occurs.

    Some occur once. Of the others, as many occur twice as three times, and so on.
    """
    others = len(letters) - ONCE
    step = (2 * (length - ONCE) / others - 3) / others
    return Counter(letters) + Counter(
        {letter: 1 + int(place * step) for place, letter in enumerate(letters[ONCE:])}
    )


def _shuffled(rng: Random, counts: Counter[str]) -> str:
    return "".join(rng.sample(list(counts), counts=counts.values(), k=counts.total()))


def can_be_written(ransom_note: str, magazine: str) -> bool:
    """Return whether the magazine has all letters of the note, each as often as the note."""
    return Counter(ransom_note) <= Counter(magazine)


def family(entry: Entry) -> object:
    """Keep how often each letter is in both texts; ignore letters and their order."""
    note, magazine = (Counter(part_of(rf"{name}: (\w+)", entry)) for name in ("note", "Magazine"))
    return sorted([note[letter], magazine[letter]] for letter in note | magazine)


TASK = Task(
    answer=Choice("True", "False"),
    correct=correct,
    verify=exact,
    labels={"True": 0.5, "False": 0.5},
    family=family,
    # 1,000 letters are long rather than deep; the magazine grows with the note. Notes of fewer
    # than SHORTEST_NOTE letters are completed.
    levels=Levels(
        knots={
            "min_note_length": [60, 65, 70, 75, 80],
            "max_note_length": [64, 69, 74, 79, 86],
            "min_magazine_length": [92, 100, 108, 116, 124],
            "max_magazine_length": [100, 108, 116, 124, 134],
        }
    ),
)
