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

SHORTEST_NOTE = 40
"""Letters. In a shorter note, to count three of its letters would be a third of the work."""
MIN_KINDS, MAX_KINDS = 20, 24
"""Different letters of a note. It lacks some, which fill the magazine."""
SPARE = (0, 0, 0, 1)
"""How many letters that the note repeats, one number as likely as the other, the magazine has to
spare. It has no others to spare, so a letter of which it has one is needed once or twice."""


def correct(entry: Entry) -> Entry | None:
    """Replace both strings; if the answer is False, one letter of the note is missing once.

    It can be any letter of the note: a third of them occur once, a third twice, and the others more
    often. Whatever the answer, the magazine has few of most letters to spare, and as many letters
    of the note in all. In the library's notes it is a frequent letter, or missing altogether.
    """
    head, marker, _ = entry["question"].partition("Ransom note: ")
    if not marker:
        return None
    rng = random_of(entry)
    meta = entry["metadata"]
    counts = _letter_counts(rng, max(SHORTEST_NOTE, meta["note_length"]))
    repeated = [letter for letter, number in counts.items() if number > 1]
    spare = Counter({letter: rng.choice(SPARE) for letter in repeated})
    scarce = rng.choice(list(counts))
    spare[scarce] = 0
    if entry["answer"] == "False":
        rest = [letter for letter in repeated if letter != scarce]
        spare[rng.choice([letter for letter in rest if not spare[letter]] or rest)] += 1
        spare[scarce] = -1
    note = list(counts.elements())
    magazine = [letter for letter in counts for _ in range(counts[letter] + spare[letter])]
    length = max(3 * len(note) // 2, meta["magazine_length"])
    others = [letter for letter in ascii_lowercase if letter not in counts]
    magazine += rng.choices(others, k=max(0, length - len(magazine)))
    rng.shuffle(note)
    rng.shuffle(magazine)
    words = {"ransom_note": "".join(note), "magazine": "".join(magazine)}
    solvable = can_be_written(**words)
    return with_solution(
        entry,
        f"{head}{marker}{words['ransom_note']}\nMagazine: {words['magazine']}\n",
        solvable,
        **words,
        solvable=solvable,
        note_length=len(note),
        magazine_length=len(magazine),
    )


def _letter_counts(rng: Random, length: int) -> Counter[str]:
    """Return how often each letter of a note of about `length` letters occurs."""
    letters = rng.sample(ascii_lowercase, rng.randint(MIN_KINDS, MAX_KINDS))
    third = len(letters) // 3
    frequent = letters[2 * third :]
    counts = Counter(letters) + Counter(letters[third:]) + Counter(frequent)
    counts.update(rng.choices(frequent, k=max(0, length - counts.total())))
    return counts


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
            "min_note_length": [38, 43, 48, 53, 58],
            "max_note_length": [42, 47, 52, 57, 64],
            "min_magazine_length": [62, 74, 86, 98, 110],
            "max_magazine_length": [70, 82, 94, 106, 124],
        }
    ),
)
